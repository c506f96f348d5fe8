-- Slugs: each leads to one row of its table, as do those that the row had before.

create table content.former_slug (
  -- The table of the row that had the slug, and the row's id.
  resource text not null,
  slug text not null,
  id integer not null,
  primary key (resource, slug)
);

create index former_slug_by_id on content.former_slug (resource, id);

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: 206096a33a11255696b83ad25a9644726a7496f99f693ce98ff028fa64d55d08
