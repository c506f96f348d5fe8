-- One table of counts for everything that lists of articles are restricted to, in place of the three of
-- 0002_content_counts.

-- Also until the old counts are copied, no article may change.
lock table content.article in share row exclusive mode;

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

insert into content.list_count (kind, id, period, is_published, since, articles)
select case when category_id is null then 'all' else 'category' end, coalesce(category_id, 0), period, is_published, since, articles
from (
  select category_id, 'all' as period, is_published, date '-infinity' as since, articles from content.article_count
  union all select category_id, 'month', is_published, month, articles from content.article_count_by_month
  union all select category_id, 'day', is_published, day, articles from content.article_count_by_day
) as kept;

drop trigger count_inserted on content.article;
drop trigger count_updated on content.article;
drop trigger count_deleted on content.article;
drop function content.count_articles, content.change_counts;
drop type content.count_change;
drop table content.article_count, content.article_count_by_month, content.article_count_by_day;

-- Counts the rows of a table that has is_published and published_at, once for each (kind, id) that
-- the trigger's argument lists; a null id is not counted. Runs once per statement, so that a bulk load
-- counts once for each day, not once for each row. What changes no count takes no lock.
create function content.count_articles() returns trigger language plpgsql as $$
declare
  rows_changed constant text :=
    case when tg_op <> 'INSERT' then 'select *, -1 as articles from removed' else '' end
    || case when tg_op = 'UPDATE' then ' union all ' else '' end
    || case when tg_op <> 'DELETE' then 'select *, 1 as articles from added' else '' end;
  changes jsonb;
begin
  execute format(
    $query$
      select jsonb_agg(change) from (
        select kind, list.id, is_published, content.publication_day(published_at) as day, sum(articles) as articles
        from (%s) as row_changed cross join lateral (values %s) as list (kind, id)
        where list.id is not null group by 1, 2, 3, 4 having sum(articles) <> 0
      ) as change
    $query$,
    rows_changed, tg_argv[0]
  ) into changes;
  if changes is null then
    return null;
  end if;
  -- Held until the transaction ends, so that transactions that count in several statements cannot deadlock.
  perform pg_advisory_xact_lock('content.list_count'::regclass::oid::integer, 0);
  insert into content.list_count as kept (kind, id, period, is_published, since, articles)
  select kind, id, period, is_published, since, sum(articles)
  from jsonb_to_recordset(changes) as change (kind text, id integer, is_published boolean, day date, articles bigint)
  cross join lateral (
    values ('all', date '-infinity'), ('month', date_trunc('month', day)::date), ('day', day)
  ) as counted (period, since)
  group by 1, 2, 3, 4, 5 having sum(articles) <> 0
  on conflict (kind, id, period, is_published, since) do update set articles = kept.articles + excluded.articles;
  return null;
end
$$;

create trigger count_inserted after insert on content.article referencing new table as added
  for each statement execute function content.count_articles($$('all', 0), ('category', category_id)$$);
create trigger count_updated after update on content.article referencing old table as removed new table as added
  for each statement execute function content.count_articles($$('all', 0), ('category', category_id)$$);
create trigger count_deleted after delete on content.article referencing old table as removed
  for each statement execute function content.count_articles($$('all', 0), ('category', category_id)$$);

create or replace function content.count_nothing() returns trigger language plpgsql as $$
begin
  truncate content.list_count;
  return null;
end
$$;

-- What no longer exists has no counts; the trigger's argument is its kind.
create function content.forget_counts() returns trigger language plpgsql as $$
begin
  delete from content.list_count where kind = tg_argv[0] and id = old.id;
  return null;
end
$$;

create trigger forget_counts after delete on content.category
  for each row execute function content.forget_counts('category');

-- Replicas of the previous build read the counts by their old names during an upgrade.
create view content.article_count as
  select nullif(id, 0) as category_id, is_published, articles
  from content.list_count where kind in ('all', 'category') and period = 'all';
create view content.article_count_by_month as
  select nullif(id, 0) as category_id, is_published, since as month, articles
  from content.list_count where kind in ('all', 'category') and period = 'month';
create view content.article_count_by_day as
  select nullif(id, 0) as category_id, is_published, since as day, articles
  from content.list_count where kind in ('all', 'category') and period = 'day';

create index article_by_author on content.article (author, is_published, published_at desc, id desc);
