-- The trail: who did what, written in the transaction of the change (audit.ts prunes it).

-- Names the key that makes the changes of the transaction, and the account of whoever is at the desk, and
-- returns the key. One expression, which becomes part of the statement that writes.
create or replace function content.written_by(
  key text, request_id text, address text, account text default null
) returns text language sql as $$
  select (array[
    set_config('pressroom.request', coalesce(request_id, ''), true),
    set_config('pressroom.address', coalesce(address, ''), true),
    set_config('pressroom.account', coalesce(account, ''), true),
    set_config('pressroom.key', key, true)
  ])[4]
$$;

-- The trigger's arguments are the action, and the columns that its detail has.
create or replace function content.audit_row() returns trigger language plpgsql as $$
declare
  changed constant jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
  article constant text := case tg_table_name when 'article' then 'id' else 'article_id' end;
begin
  insert into content.audit (action, article_id, detail) values (
    tg_argv[0], (changed ->> article)::integer,
    (select jsonb_object_agg(name, changed -> name) from unnest(tg_argv[1:]) as name)
  );
  return null;
end
$$;

-- Two members of the article: the whole row as JSON, its body included, would take longer than the entry.
create or replace function content.audit_publication() returns trigger language plpgsql as $$
begin
  insert into content.audit (action, article_id, detail) values (
    'article.published', new.id, jsonb_build_object('slug', new.slug, 'published_at', new.published_at)
  );
  return null;
end
$$;

create or replace function content.audit_truncation() returns trigger language plpgsql as $$
begin
  insert into content.audit (action, detail) values (tg_table_name || '.truncated', '{}');
  return null;
end
$$;

-- The role of the service may add to the trail and read it, but neither change nor remove it
-- (packages/common/src/database/service-roles.ts): this function removes the oldest rows, and no recent ones.
create or replace function content.prune_audit(days integer, most integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  removed integer;
begin
  if days < 30 then
    raise exception 'the last 30 days of the audit trail stay' using errcode = 'check_violation';
  end if;
  delete from content.audit where (at, id) in (
    select at, id from content.audit where at < clock_timestamp() - make_interval(days => days) order by at, id limit most
  );
  get diagnostics removed = row_count;
  return removed;
end
$$;
