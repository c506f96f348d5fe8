-- Edits: who has changed what, and how it was before. Triggers keep them in the transaction of the change, so
-- that no command, import or statement gets by; what the worker does by itself is none, except merges and
-- splits.

create sequence news.edit_number;

-- One row for each thing that an edit has changed.
create table news.edit (
  id bigint generated always as identity primary key,
  -- What was changed together has the same number, and is undone together.
  number bigint not null,
  at timestamptz(3) not null default clock_timestamp(),
  -- Who; null if nobody said.
  actor text,
  -- What was connected: a command, the worker, or a person's own program.
  program text not null default current_setting('application_name'),
  -- Such as `item edit`.
  action text not null,
  -- The number of the edit that this one undoes.
  undoes bigint,
  kind text collate "C" not null check (kind in ('item', 'story', 'daily', 'weekly', 'monthly')),
  -- The key of its row.
  subject text collate "C" not null,
  -- The columns that it changed.
  before jsonb not null,
  after jsonb not null
);

create index edit_by_subject on news.edit (kind, subject, id desc);
create index edit_by_number on news.edit (number);
create index edit_by_undone on news.edit (undoes) where undoes is not null;

-- `news.edit` of the transaction is the edit as JSON; `off` if what follows is derived from what was edited.
create function news.is_edit() returns boolean language sql stable as $$
  select case coalesce(current_setting('news.edit', true), '')
    when '' then current_setting('application_name') <> 'pressroom newsroom worker'
    when 'off' then false
    else true
  end
$$;

-- The trigger's arguments are the column of the key, and those that are kept.
create function news.keep_edit() returns trigger language plpgsql as $$
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

create trigger keep_edit after update on news.item
  for each row when (news.is_edit()) execute function news.keep_edit(
    'id', 'title', 'original_title', 'summary', 'source_name', 'source_first_party', 'original_url', 'canonical_url',
    'published_at', 'discovered_at', 'category', 'score', 'selected', 'reason', 'directions', 'image', 'language',
    'story', 'withdrawn_at'
  );
create trigger keep_edit after update on news.story
  for each row when (news.is_edit()) execute function news.keep_edit(
    'public_id', 'title', 'status', 'digest', 'digest_updated_at', 'digest_by', 'merged_into'
  );

-- A report of the current day may be corrected.
alter table news.daily add column corrected_at timestamptz(3);
alter table news.weekly add column corrected_at timestamptz(3);
alter table news.monthly add column corrected_at timestamptz(3);

create trigger keep_edit after update on news.daily
  for each row when (news.is_edit()) execute function news.keep_edit('date', 'report', 'item_ids', 'corrected_at');
create trigger keep_edit after update on news.weekly
  for each row when (news.is_edit()) execute function news.keep_edit('date', 'report', 'item_ids', 'corrected_at');
create trigger keep_edit after update on news.monthly
  for each row when (news.is_edit()) execute function news.keep_edit('date', 'report', 'item_ids', 'corrected_at');

-- Days are those of the site's time zone, which the transaction that corrects a report names.
create or replace function news.refuse_past_report() returns trigger language plpgsql as $$
declare
  zone constant text := coalesce(nullif(current_setting('news.report_zone', true), ''), 'Asia/Shanghai');
  today date := (clock_timestamp() at time zone zone)::date;
  has_past boolean;
begin
  if tg_op = 'TRUNCATE' then
    execute format('select exists (select from %I.%I where date < $1)', tg_table_schema, tg_table_name)
      into has_past using today;
    if not has_past then
      return null;
    end if;
  elsif old.date >= today then
    return case when tg_op = 'DELETE' then old else new end;
  end if;
  raise exception 'the report of a past day cannot be changed' using errcode = 'check_violation',
    schema = tg_table_schema, table = tg_table_name, constraint = tg_table_name || '_past_is_fixed';
end
$$;

-- For the list of what was withdrawn, the latest first.
create index item_withdrawn on news.item (withdrawn_at desc, id desc) where withdrawn_at is not null;

-- The role of the service may add to the edits and read them, but neither change nor remove them
-- (packages/common/src/database/service-roles.ts).
do $do$
begin
  if exists (select from pg_roles where rolname = 'pressroom_news_feed') then
    revoke update, delete, truncate on news.edit from pressroom_news_feed;
  end if;
end
$do$;
