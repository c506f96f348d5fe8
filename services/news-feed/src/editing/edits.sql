-- Edits: each change by a person, with the values before it, kept in the transaction of the change, so that
-- no command, import or statement escapes. The worker's own changes are none, except merges and splits.

-- `news.edit` of the transaction is the edit as JSON; `off` for changes that follow from an edit.
create or replace function news.is_edit() returns boolean language sql stable as $$
  select case coalesce(current_setting('news.edit', true), '')
    when '' then current_setting('application_name') <> 'pressroom newsroom worker'
    when 'off' then false
    else true
  end
$$;

-- The trigger's arguments are the column of the key, and those that are kept.
create or replace function news.keep_edit() returns trigger language plpgsql as $$
declare
  edit constant jsonb := coalesce(nullif(current_setting('news.edit', true), ''), '{}');
  was constant jsonb := to_jsonb(old);
  became constant jsonb := to_jsonb(new);
begin
  insert into news.edit (number, actor, action, undoes, kind, subject, before, after)
  select coalesce((edit ->> 'number')::bigint, nextval('news.edit_number')), edit ->> 'actor',
    coalesce(edit ->> 'action', 'sql'), (edit ->> 'undoes')::bigint, tg_table_name, became ->> tg_argv[0],
    jsonb_object_agg(name, was -> name), jsonb_object_agg(name, became -> name)
  from unnest(tg_argv[1:]) as name
  where was -> name is distinct from became -> name
  having count(*) > 0;
  return null;
end
$$;
