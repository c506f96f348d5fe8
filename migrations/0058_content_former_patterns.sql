-- The address patterns that pages of the site had, of which redirects are computed.
create table content.former_pattern (
  id integer generated always as identity primary key,
  page text collate "C" not null check (page in ('article', 'category', 'author')),
  -- A path of the site with {id} and {slug}, in the one spelling of addresses.ts.
  pattern text collate "C" not null,
  unique (page, pattern)
);
