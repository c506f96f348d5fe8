-- The counts that lists of articles show. Counting a million rows for each page would cost more than the
-- page, so the database maintains them. A page deep in a long list is found by adding up the months, then the
-- days of one of them.

-- How many articles a list has: of the whole site (kind 'all', id 0), of a category (kind 'category' and
-- its id), and of whatever else articles are related to by an id. In total (period 'all'), and by the UTC
-- month and day of published_at that begin at `since` ('infinity': never published).
create table content.list_count (
  kind text collate "C" not null,
  id integer not null,
  period text collate "C" not null check (period in ('all', 'month', 'day')),
  is_published boolean not null,
  since date not null,
  articles bigint not null,
  primary key (kind, id, period, is_published, since)
);

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: 4b624645fe3cf8e5391b8d92f95fa6a7ac40705bf1eadcc2b2bf4f774d271ba4
