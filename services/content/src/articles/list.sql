-- The counts that lists of articles show, in `content.list_count`, for {table}: each of its rows is in the
-- lists of {lists}.

create or replace function content.publication_day(published_at timestamptz) returns date language sql immutable as $$
  select coalesce((published_at at time zone 'UTC')::date, 'infinity')
$$;

-- Runs once per statement, so that a bulk load counts once for each day, not once for each row. A null id is
-- not counted.
create or replace function content.count_{table}() returns trigger language plpgsql as $$
begin
  -- A change that alters no count takes no lock.
  if tg_op = 'UPDATE' then
    -- Both ways: an article that comes to a category from none leaves no list.
    if not exists (
      (select kind, list.id, is_published, content.publication_day(published_at) as day
        from removed cross join lateral (values {lists}) as list (kind, id) where list.id is not null
      except all select kind, list.id, is_published, content.publication_day(published_at) as day
        from added cross join lateral (values {lists}) as list (kind, id) where list.id is not null)
      union all
      (select kind, list.id, is_published, content.publication_day(published_at) as day
        from added cross join lateral (values {lists}) as list (kind, id) where list.id is not null
      except all select kind, list.id, is_published, content.publication_day(published_at) as day
        from removed cross join lateral (values {lists}) as list (kind, id) where list.id is not null)
    ) then
      return null;
    end if;
  end if;
  -- Held until the transaction ends, so that two transactions that count in several statements cannot
  -- deadlock.
  perform pg_advisory_xact_lock('content.list_count'::regclass::oid::integer, 0);
  if tg_op = 'INSERT' then
    insert into content.list_count as kept (kind, id, period, is_published, since, articles)
    select kind, id, period, is_published, since, sum(articles)
    from (
      select kind, list.id, is_published, content.publication_day(published_at) as day, 1 as articles
        from added cross join lateral (values {lists}) as list (kind, id) where list.id is not null
    ) as change
    cross join lateral (
      values ('all', date '-infinity'), ('month', date_trunc('month', day)::date), ('day', day)
    ) as counted (period, since)
    group by 1, 2, 3, 4, 5 having sum(articles) <> 0
    on conflict (kind, id, period, is_published, since) do update set articles = kept.articles + excluded.articles;
  elsif tg_op = 'DELETE' then
    insert into content.list_count as kept (kind, id, period, is_published, since, articles)
    select kind, id, period, is_published, since, sum(articles)
    from (
      select kind, list.id, is_published, content.publication_day(published_at) as day, -1 as articles
        from removed cross join lateral (values {lists}) as list (kind, id) where list.id is not null
    ) as change
    cross join lateral (
      values ('all', date '-infinity'), ('month', date_trunc('month', day)::date), ('day', day)
    ) as counted (period, since)
    group by 1, 2, 3, 4, 5 having sum(articles) <> 0
    on conflict (kind, id, period, is_published, since) do update set articles = kept.articles + excluded.articles;
  else
    insert into content.list_count as kept (kind, id, period, is_published, since, articles)
    select kind, id, period, is_published, since, sum(articles)
    from (
      select kind, list.id, is_published, content.publication_day(published_at) as day, -1 as articles
        from removed cross join lateral (values {lists}) as list (kind, id) where list.id is not null
      union all select kind, list.id, is_published, content.publication_day(published_at) as day, 1 as articles
        from added cross join lateral (values {lists}) as list (kind, id) where list.id is not null
    ) as change
    cross join lateral (
      values ('all', date '-infinity'), ('month', date_trunc('month', day)::date), ('day', day)
    ) as counted (period, since)
    group by 1, 2, 3, 4, 5 having sum(articles) <> 0
    on conflict (kind, id, period, is_published, since) do update set articles = kept.articles + excluded.articles;
  end if;
  return null;
end
$$;

-- Nothing is left to count. The counts are truncated because a DELETE would not see counts that were
-- committed after the snapshot of its transaction.
create or replace function content.count_nothing() returns trigger language plpgsql as $$
begin
  truncate content.list_count;
  return null;
end
$$;
