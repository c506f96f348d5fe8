-- A page in the middle of a long list was found by adding up the counts of all its days, so it took longer
-- the more years a site had published. With counts by month, the months are added up, and then the days of
-- one of them. Writers wait while the existing counts are added up: some milliseconds.

-- Taken before the counts are read: a writer that has begun would count by the old function.
lock table content.article in share row exclusive mode;

create table content.article_count_by_month (
  category_id integer references content.category on delete cascade,
  is_published boolean not null,
  -- The first day of the month; 'infinity': never published.
  month date not null,
  articles bigint not null,
  unique nulls not distinct (category_id, is_published, month)
);

insert into content.article_count_by_month (category_id, is_published, month, articles)
select category_id, is_published, date_trunc('month', day)::date, sum(articles)
from content.article_count_by_day
group by 1, 2, 3;

-- As before, and by month.
create or replace function content.change_counts(changes content.count_change[]) returns void language sql as $$
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

create or replace function content.count_nothing() returns trigger language plpgsql as $$
begin
  truncate content.article_count, content.article_count_by_month, content.article_count_by_day;
  return null;
end
$$;
