-- Triggers of {kind} reports.

-- A past report stays as it is; what was wrong with it may be said. Days are those of the site's time zone,
-- which the transaction that corrects a report names.
create or replace function news.refuse_past_report() returns trigger language plpgsql as $$
declare
  zone constant text := coalesce(nullif(current_setting('news.report_zone', true), ''), 'Asia/Shanghai');
  today date := (clock_timestamp() at time zone zone)::date;
  note constant text[] := '{correction, noted_at}';
  has_past boolean;
begin
  if tg_op = 'TRUNCATE' then
    execute format('select exists (select from %I.%I where date < $1)', tg_table_schema, tg_table_name)
      into has_past using today;
    if not has_past then
      return null;
    end if;
  elsif old.date >= today or (
    new.correction is distinct from old.correction and to_jsonb(new) - note = to_jsonb(old) - note
  ) then
    return case when tg_op = 'DELETE' then old else new end;
  end if;
  raise exception 'the report of a past day cannot be changed' using errcode = 'check_violation',
    schema = tg_table_schema, table = tg_table_name, constraint = tg_table_name || '_past_is_fixed';
end
$$;

create or replace trigger refuse_past_report before update or delete on news.{kind}
  for each row execute function news.refuse_past_report();
create or replace trigger refuse_past_truncation before truncate on news.{kind}
  for each statement execute function news.refuse_past_report();
create or replace trigger date_correction before update of correction on news.{kind}
  for each row when (old.correction is distinct from new.correction)
  execute function news.date_correction('noted_at');
create or replace trigger announce_change after insert or update or delete or truncate on news.{kind}
  for each statement execute function news.announce_change();
create or replace trigger keep_edit after update on news.{kind}
  for each row when (news.is_edit()) execute function news.keep_edit(
    'date', 'report', 'item_ids', 'corrected_at', 'correction'
  );
