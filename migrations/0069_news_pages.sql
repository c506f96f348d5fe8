-- The CSS selectors of the list that a source's page is; 'auto': it is found; null: it is a feed or a
-- sitemap.
alter table news.source add column list_selectors text;

-- The addresses that the sitemaps of a source have listed, as the first 64 bits of their SHA-256.
create table news.source_sitemap (
  source_id bigint primary key references news.source on delete cascade,
  known bytea not null
);
