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

create function content.publication_day(published_at timestamptz) returns date language sql immutable as $$
  select coalesce((published_at at time zone 'UTC')::date, 'infinity')
$$;

-- Counts the articles of each list that `added` or `removed` has rows of, in one statement. A null id is not
-- counted. Runs once per statement, so that a bulk load counts once for each day, not once for each row.
do $do$
declare
  of_table text;
  lists text;
  listed constant text :=
    'select kind, list.id, is_published, content.publication_day(published_at) as day, %s as articles
      from %s cross join lateral (values %s) as list (kind, id) where list.id is not null';
  counted constant text := $query$
    insert into content.list_count as kept (kind, id, period, is_published, since, articles)
    select kind, id, period, is_published, since, sum(articles)
    from (%s) as change
    cross join lateral (
      values ('all', date '-infinity'), ('month', date_trunc('month', day)::date), ('day', day)
    ) as counted (period, since)
    group by 1, 2, 3, 4, 5 having sum(articles) <> 0
    on conflict (kind, id, period, is_published, since) do update set articles = kept.articles + excluded.articles
  $query$;
  come text;
  gone text;
begin
  for of_table, lists in values
    ('article', $$('all', 0), ('category', category_id)$$),
    ('article_tag', $$('tag', tag_id)$$),
    ('article_author', $$('author', author_id)$$)
  loop
    come := format(listed, 1, 'added', lists);
    gone := format(listed, -1, 'removed', lists);
    execute format(
      $define$
        create function content.count_%1$s() returns trigger language plpgsql as $$
        begin
          -- What changes no count takes no lock.
          if tg_op = 'UPDATE' then
            -- Both ways: who comes to a category from none leaves nothing.
            if not exists (
              (select kind, id, is_published, day from (%2$s) as gone
                except all select kind, id, is_published, day from (%3$s) as come)
              union all
              (select kind, id, is_published, day from (%3$s) as come
                except all select kind, id, is_published, day from (%2$s) as gone)
            ) then
              return null;
            end if;
          end if;
          -- Held until the transaction ends, so that two that count in several statements cannot deadlock.
          perform pg_advisory_xact_lock('content.list_count'::regclass::oid::integer, 0);
          if tg_op = 'INSERT' then %4$s;
          elsif tg_op = 'DELETE' then %5$s;
          else %6$s;
          end if;
          return null;
        end
        $$;
        create trigger count_inserted after insert on content.%1$s
          referencing new table as added for each statement execute function content.count_%1$s();
        create trigger count_updated after update on content.%1$s
          referencing old table as removed new table as added
          for each statement execute function content.count_%1$s();
        create trigger count_deleted after delete on content.%1$s
          referencing old table as removed for each statement execute function content.count_%1$s();
      $define$,
      of_table, gone, come, format(counted, come), format(counted, gone), format(counted, gone || ' union all ' || come));
  end loop;
end
$do$;

-- Nothing is left to count. The counts are truncated because a DELETE would not see counts that were
-- committed after the snapshot of its transaction.
create function content.count_nothing() returns trigger language plpgsql as $$
begin
  truncate content.list_count;
  return null;
end
$$;

create trigger count_truncated after truncate on content.article
  for each statement execute function content.count_nothing();

-- What no longer exists has no counts; the trigger's argument is its kind.
create function content.forget_counts() returns trigger language plpgsql as $$
begin
  delete from content.list_count where kind = tg_argv[0] and id = old.id;
  return null;
end
$$;

create trigger forget_counts after delete on content.category
  for each row execute function content.forget_counts('category');
create trigger forget_counts after delete on content.tag
  for each row execute function content.forget_counts('tag');
create trigger forget_counts after delete on content.author
  for each row execute function content.forget_counts('author');
