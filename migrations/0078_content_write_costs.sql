-- What each write of an article costs: the triggers of 0001, 0013, 0015 and 0039 do the same with statements
-- that are planned once for a connection, and with fewer of them.

-- Counts the rows of a table that has is_published and published_at, once for each (kind, id) of `lists`, the
-- rows of VALUES; a null id is not counted. Runs once per statement, so that a bulk load counts once for each
-- day, not once for each row. What changes no count takes no lock.
create procedure content.count_all(of_table regclass, lists text) language plpgsql as $do$
declare
  counting constant text := 'content.count_' || (select relname from pg_class where oid = of_table);
  counted constant text := format(
    $query$
      perform content.change_counts(jsonb_agg(change)) from (
        select kind, list.id, is_published, content.publication_day(published_at) as day, sum(articles) as articles
        from (%%s) as row_changed cross join lateral (values %s) as list (kind, id)
        where list.id is not null group by 1, 2, 3, 4 having sum(articles) <> 0
      ) as change
    $query$, lists);
  gone constant text := 'select *, -1 as articles from removed';
  come constant text := 'select *, 1 as articles from added';
begin
  execute format(
    $define$
      create function %s() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then %s;
        elsif tg_op = 'DELETE' then %s;
        else %s;
        end if;
        return null;
      end
      $$
    $define$,
    counting, format(counted, come), format(counted, gone), format(counted, gone || ' union all ' || come));
  execute format(
    $triggers$
      create or replace trigger count_inserted after insert on %1$s
        referencing new table as added for each statement execute function %2$s();
      create or replace trigger count_updated after update on %1$s
        referencing old table as removed new table as added for each statement execute function %2$s();
      create or replace trigger count_deleted after delete on %1$s
        referencing old table as removed for each statement execute function %2$s();
    $triggers$, of_table, counting);
end
$do$;

create function content.change_counts(changes jsonb) returns void language plpgsql as $$
begin
  if changes is null then
    return;
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
end
$$;

call content.count_all('content.article', $$('all', 0), ('category', category_id)$$);
call content.count_all('content.article_tag', $$('tag', tag_id)$$);
call content.count_all('content.article_author', $$('author', author_id)$$);
drop function content.count_articles;

-- A statement that writes very many articles announces everything: no more rows are looked at than could fit.
create or replace function content.announce_articles() returns trigger language plpgsql as $$
declare
  -- A notification holds 8000 bytes; the subjects of a row take 40 at most, and are three.
  most constant integer := 200;
  subjects text;
begin
  -- Only what was or is published can be in a cached answer.
  if tg_op = 'INSERT' then
    select case when count(*) > 3 * most then '' else string_agg(distinct subject, ' ') end into subjects
      from (select id, category_id from added where is_published limit most + 1) as place
      cross join lateral content.subjects_of(id, category_id) as subject;
  elsif tg_op = 'DELETE' then
    select case when count(*) > 3 * most then '' else string_agg(distinct subject, ' ') end into subjects
      from (select id, category_id from removed where is_published limit most + 1) as place
      cross join lateral content.subjects_of(id, category_id) as subject;
  else
    select case when count(*) > 3 * most then '' else string_agg(distinct subject, ' ') end into subjects
      from (
        select id, category_id from removed where is_published
        union all select id, category_id from added where is_published limit most + 1
      ) as place
      cross join lateral content.subjects_of(id, category_id) as subject;
  end if;
  if subjects is not null then
    perform pg_notify('content_changed', subjects);
  end if;
  return null;
end
$$;

-- An article is looked for without planning the statement each time.
create or replace function content.slug_is_taken(of_table regclass, candidate text, own text) returns boolean
language plpgsql as $$
declare
  found_one boolean;
begin
  if candidate = own then
    return false;
  end if;
  if of_table = 'content.article'::regclass then
    found_one := exists (select from content.article where slug = candidate);
  else
    execute format('select exists (select from %s where slug = $1)', of_table) into found_one using candidate;
  end if;
  return found_one or exists (
    select from content.former_slug
    where resource = (select relname from pg_class where oid = of_table) and slug = candidate);
end
$$;

-- The triggers of a deletion run for every statement, also if it finds nothing.
create or replace function content.forget_replaced_articles() returns trigger language plpgsql as $$
begin
  if exists (select from content.deleted_article join added on article_id = id where revision = 1) then
    delete from content.deleted_article using added where article_id = id and revision = 1;
  end if;
  return null;
end
$$;

-- Looks each column up in the new row, in place of a join.
create or replace function content.keep_revision() returns trigger language plpgsql as $$
declare
  -- What follows from other columns, or is no part of what somebody wrote.
  unkept constant text[] :=
    array['content', 'updated_at', 'title_words', 'slug_is_given', 'revision', 'revised_at', 'revised_by', 'revised_in'];
  before content.article := old;
  after content.article := new;
  is_now jsonb;
  replaced jsonb;
  body text;
begin
  new.revision := old.revision;
  new.revised_at := old.revised_at;
  new.revised_by := old.revised_by;
  new.revised_in := old.revised_in;
  before.content := '';
  after.content := '';
  is_now := to_jsonb(after);
  select jsonb_object_agg(key, value) into replaced
    from jsonb_each(to_jsonb(before)) where value <> is_now -> key and key <> all (unkept);
  if old.content <> new.content then
    body := old.content;
  end if;
  if replaced is null and body is null then
    return new;
  end if;
  replaced := coalesce(replaced, '{}');
  if old.revised_in = pg_current_xact_id() and old.revised_at = transaction_timestamp() then
    update content.article_revision set members = replaced || members, content = coalesce(content, body)
      where article_id = old.id and number = old.revision - 1;
    return new;
  end if;
  insert into content.article_revision (article_id, number, created_at, created_by, members, content)
    values (old.id, old.revision, coalesce(old.revised_at, old.updated_at), old.revised_by, replaced, body);
  new.revision := old.revision + 1;
  new.revised_at := transaction_timestamp();
  new.revised_by := nullif(current_setting('pressroom.key', true), '');
  new.revised_in := pg_current_xact_id();
  return new;
end
$$;
