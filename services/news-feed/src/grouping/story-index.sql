-- For each term of reports its items, as `news.report_terms` changes.

create or replace function news.keep_term_reports() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from news.term_report where number = old.number and term = any(old.terms);
  elsif tg_op = 'INSERT' then
    insert into news.term_report (term, number) select distinct unnest(new.terms), new.number;
  else
    truncate news.term_report;
  end if;
  return null;
end
$$;

create or replace trigger keep_term_reports after insert or delete on news.report_terms
  for each row execute function news.keep_term_reports();
create or replace trigger keep_term_reports_truncation after truncate on news.report_terms
  for each statement execute function news.keep_term_reports();
