-- Weekly and monthly reports: the form and the rules of the daily ones, with other dates.

create table news.weekly (like news.daily including all);
alter table news.weekly add constraint weekly_is_of_a_monday check (extract(isodow from date) = 1);

create table news.monthly (like news.daily including all);
alter table news.monthly add constraint monthly_is_of_a_first check (extract(day from date) = 1);

-- The function of 0006, for any of the three tables.
create or replace function news.refuse_past_report() returns trigger language plpgsql as $$
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

create trigger refuse_past_report before update or delete on news.weekly
  for each row execute function news.refuse_past_report();
create trigger refuse_past_truncation before truncate on news.weekly
  for each statement execute function news.refuse_past_report();
create trigger refuse_past_report before update or delete on news.monthly
  for each row execute function news.refuse_past_report();
create trigger refuse_past_truncation before truncate on news.monthly
  for each statement execute function news.refuse_past_report();

create trigger announce_change after insert or update or delete or truncate on news.weekly
  for each statement execute function news.announce_change();
create trigger announce_change after insert or update or delete or truncate on news.monthly
  for each statement execute function news.announce_change();
