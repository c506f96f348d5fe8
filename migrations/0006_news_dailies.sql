-- Daily reports.

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

create function news.refuse_past_report() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    if not exists (select from news.daily where date < (clock_timestamp() at time zone 'Asia/Shanghai')::date) then
      return null;
    end if;
  elsif old.date >= (clock_timestamp() at time zone 'Asia/Shanghai')::date then
    return case when tg_op = 'DELETE' then old else new end;
  end if;
  raise exception 'the report of a past day cannot be changed' using errcode = 'check_violation',
    schema = 'news', table = 'daily', constraint = 'daily_past_is_fixed';
end
$$;

create trigger refuse_past_report before update or delete on news.daily
  for each row execute function news.refuse_past_report();
create trigger refuse_past_truncation before truncate on news.daily
  for each statement execute function news.refuse_past_report();
