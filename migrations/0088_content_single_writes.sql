-- What the write of one article costs: the functions of 0001, 0015, 0037 and 0078 do the same with fewer
-- statements.

-- Counts the articles of each list that `added` or `removed` has rows of, in one statement. A null id is not
-- counted. Runs once per statement, so that a bulk load counts once for each day, not once for each row.
do $do$
declare
  counting text;
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
  for counting, lists in values
    ('content.count_article', $$('all', 0), ('category', category_id)$$),
    ('content.count_article_tag', $$('tag', tag_id)$$),
    ('content.count_article_author', $$('author', author_id)$$)
  loop
    come := format(listed, 1, 'added', lists);
    gone := format(listed, -1, 'removed', lists);
    execute format(
      $define$
        create or replace function %1$s() returns trigger language plpgsql as $$
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
        $$
      $define$,
      counting, gone, come, format(counted, come), format(counted, gone), format(counted, gone || ' union all ' || come));
  end loop;
end
$do$;
drop procedure content.count_all;
drop function content.change_counts;

-- `||` of a text and a number is not immutable, so these functions were called instead of being part of their
-- callers.
create or replace function content.subjects_of(id integer, category_id integer) returns setof text language sql immutable as $$
  values ('articles'), ('article:' || id::text), ('category:' || category_id::text)
$$;

create or replace function content.numbered_slug(base text, n integer, most integer) returns text language sql immutable as $$
  select case when n = 1 then base else rtrim(left(base, most - 1 - length(n::text)), '-') || '-' || n::text end
$$;

create or replace function content.slug_is_taken(of_table regclass, candidate text, own text) returns boolean
language plpgsql as $$
declare
  found_one boolean;
begin
  if candidate = own then
    return false;
  end if;
  -- One statement, which is planned once for a connection.
  if of_table = 'content.article'::regclass then
    return exists (select from content.article where slug = candidate)
      or exists (select from content.former_slug where resource = 'article' and slug = candidate);
  end if;
  execute format('select exists (select from %s where slug = $1)', of_table) into found_one using candidate;
  return found_one or exists (
    select from content.former_slug
    where resource = (select relname from pg_class where oid = of_table) and slug = candidate);
end
$$;

-- One expression, which becomes part of the statement that writes.
create or replace function content.written_by(key text, request_id text, address text) returns text language sql as $$
  select (array[
    set_config('pressroom.request', coalesce(request_id, ''), true),
    set_config('pressroom.address', coalesce(address, ''), true),
    set_config('pressroom.key', key, true)
  ])[3]
$$;
