-- What a key may do: `read` sees drafts, `write` also creates and changes drafts, `publish` does everything
-- about articles and categories, `full` everything that the API has.
alter table content.api_key
  add column scope text collate "C" not null default 'full' check (scope in ('read', 'write', 'publish', 'full')),
  -- Writes are restricted to the articles of this category. No foreign key: when the category is deleted, the
  -- key must not become one without a restriction.
  add column category_id integer check (category_id > 0),
  add constraint api_key_reads_every_category check (category_id is null or scope in ('write', 'publish'));
