-- Rankings of the hot topics, and the daily, weekly and monthly reports.

-- A ranking and its entries are written in one transaction, so a partial ranking is never visible. The latest
-- ranking has the largest id.
create table news.ranking (
  id bigint generated always as identity primary key,
  published_at timestamptz(3) not null default clock_timestamp(),
  -- The parameters of the formula, in addition to the inputs of the entries.
  parameters jsonb not null default '{}'
);

create table news.ranking_entry (
  ranking_id bigint not null references news.ranking on delete cascade,
  -- Null: the list of all directions.
  direction text,
  rank integer not null check (rank > 0),
  item_id text collate "C" not null references news.item on delete cascade,
  source_count integer not null,
  signal_count integer not null,
  participant_count integer,
  source_names text[] not null,
  latest_at timestamptz(3) not null,
  -- All inputs of the rank, so that it can be explained.
  inputs jsonb not null,
  unique nulls not distinct (ranking_id, direction, rank)
);

create index ranking_entry_by_item on news.ranking_entry (item_id);

create table news.daily (
  -- The calendar date in Shanghai.
  date date primary key,
  generated_at timestamptz(3) not null,
  window_start timestamptz(3) not null,
  window_end timestamptz(3) not null check (window_end > window_start),
  -- The content of the report. It names each quoted item by id, so that items withdrawn later can be left
  -- out.
  report jsonb not null,
  item_ids text[] collate "C" not null
);

create table news.weekly (like news.daily including all);
alter table news.weekly add constraint weekly_is_of_a_monday check (extract(isodow from date) = 1);

create table news.monthly (like news.daily including all);
alter table news.monthly add constraint monthly_is_of_a_first check (extract(day from date) = 1);

create function news.refuse_past_report() returns trigger language plpgsql as $$
declare
  today date := (clock_timestamp() at time zone 'Asia/Shanghai')::date;
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

create trigger refuse_past_report before update or delete on news.daily
  for each row execute function news.refuse_past_report();
create trigger refuse_past_truncation before truncate on news.daily
  for each statement execute function news.refuse_past_report();
create trigger refuse_past_report before update or delete on news.weekly
  for each row execute function news.refuse_past_report();
create trigger refuse_past_truncation before truncate on news.weekly
  for each statement execute function news.refuse_past_report();
create trigger refuse_past_report before update or delete on news.monthly
  for each row execute function news.refuse_past_report();
create trigger refuse_past_truncation before truncate on news.monthly
  for each statement execute function news.refuse_past_report();
