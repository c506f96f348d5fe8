-- Series: articles in an order, each in one at most.
create table content.series (
  id integer generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 100),
  slug text not null constraint series_slug_key unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  description text check (char_length(description) <= 500),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

create index series_by_name on content.series (name, id);

-- Who orders a series numbers its articles from 1 (services/content/src/terms/series.ts). Deleted ones leave
-- gaps, and a restored one has its place again.
alter table content.article
  add column series_id integer constraint article_series_id_fkey references content.series,
  add column series_position integer,
  add constraint article_series_place check ((series_id is null) = (series_position is null)) not valid;

-- Lists of the articles of a series, the newest first and in its order.
create index article_by_series on content.article (series_id, is_published, published_at desc, id desc)
  where series_id is not null;
create index article_by_series_place on content.article (series_id, is_published, series_position, id)
  where series_id is not null;

-- Events name the series of an article.
alter type content.article_state add attribute series_id integer;
