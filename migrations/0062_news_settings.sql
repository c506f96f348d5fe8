-- What owners have set of the news at the desk, in one row; null is what the environment gives.
create table news.settings (
  id boolean primary key default true check (id),
  report_zone text,
  report_hour smallint check (report_hour between 0 and 23)
);
