-- The counts that lists of articles show.

-- Counting a million rows for each page would cost more than the page, so the database maintains the counts:
-- in total, and by the UTC month and day of published_at ('infinity': never published). A page deep in a long
-- list is found by adding up the months, then the days of one of them. A null category_id means the whole
-- site.
create table content.article_count (
  category_id integer references content.category on delete cascade,
  is_published boolean not null,
  articles bigint not null,
  unique nulls not distinct (category_id, is_published)
);

create table content.article_count_by_month (
  category_id integer references content.category on delete cascade,
  is_published boolean not null,
  -- The first day of the month; 'infinity': never published.
  month date not null,
  articles bigint not null,
  unique nulls not distinct (category_id, is_published, month)
);

create table content.article_count_by_day (
  category_id integer references content.category on delete cascade,
  is_published boolean not null,
  day date not null,
  articles bigint not null,
  unique nulls not distinct (category_id, is_published, day)
);

create type content.count_change as (category_id integer, is_published boolean, day date, articles bigint);

-- Every writer locks the counts in the same order, so writers wait for each other but cannot deadlock.
create function content.change_counts(changes content.count_change[]) returns void language sql as $$
  insert into content.article_count as kept (category_id, is_published, articles)
  select scope.id, is_published, sum(articles)
  from unnest(changes) as change
  cross join lateral (select null::integer as id union select change.category_id) as scope
  group by scope.id, is_published
  having sum(articles) <> 0
  order by scope.id nulls first, is_published
  on conflict (category_id, is_published) do update set articles = kept.articles + excluded.articles;

  insert into content.article_count_by_month as kept (category_id, is_published, month, articles)
  select scope.id, is_published, date_trunc('month', day)::date as month, sum(articles)
  from unnest(changes) as change
  cross join lateral (select null::integer as id union select change.category_id) as scope
  group by scope.id, is_published, date_trunc('month', day)
  having sum(articles) <> 0
  order by scope.id nulls first, is_published, month
  on conflict (category_id, is_published, month) do update set articles = kept.articles + excluded.articles;

  insert into content.article_count_by_day as kept (category_id, is_published, day, articles)
  select scope.id, is_published, day, sum(articles)
  from unnest(changes) as change
  cross join lateral (select null::integer as id union select change.category_id) as scope
  group by scope.id, is_published, day
  having sum(articles) <> 0
  order by scope.id nulls first, is_published, day
  on conflict (category_id, is_published, day) do update set articles = kept.articles + excluded.articles;
$$;

create function content.publication_day(published_at timestamptz) returns date language sql immutable as $$
  select coalesce((published_at at time zone 'UTC')::date, 'infinity')
$$;

-- Runs once per statement, so that a bulk load counts once for each day, not once for each row.
create function content.count_articles() returns trigger language plpgsql as $$
declare
  gone content.count_change[];
  come content.count_change[];
begin
  if tg_op <> 'INSERT' then
    select array_agg(row(g.*)::content.count_change) into gone from (
      select category_id, is_published, content.publication_day(published_at), -count(*) from removed group by 1, 2, 3
    ) as g;
  end if;
  if tg_op <> 'DELETE' then
    select array_agg(row(c.*)::content.count_change) into come from (
      select category_id, is_published, content.publication_day(published_at), count(*) from added group by 1, 2, 3
    ) as c;
  end if;
  perform content.change_counts(gone || come);
  return null;
end
$$;

create trigger count_inserted after insert on content.article
  referencing new table as added for each statement execute function content.count_articles();
create trigger count_updated after update on content.article
  referencing old table as removed new table as added for each statement execute function content.count_articles();
create trigger count_deleted after delete on content.article
  referencing old table as removed for each statement execute function content.count_articles();

-- Nothing is left to count. The counts are truncated because a DELETE would not see counts that were
-- committed after the snapshot of its transaction.
create function content.count_nothing() returns trigger language plpgsql as $$
begin
  truncate content.article_count, content.article_count_by_month, content.article_count_by_day;
  return null;
end
$$;

create trigger count_truncated after truncate on content.article
  for each statement execute function content.count_nothing();
