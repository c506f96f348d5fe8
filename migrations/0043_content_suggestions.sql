-- Suggestions find tags and authors by parts of their names, compared as texts of articles are
-- (search-text.ts). They are kept when articles that have them become searchable.
create table content.tag_search (
  tag_id integer primary key references content.tag on delete cascade,
  name text collate "C" not null
);
create table content.author_search (
  author_id integer primary key references content.author on delete cascade,
  name text collate "C" not null
);
