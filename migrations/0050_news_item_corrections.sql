-- What was wrong with an item, for its readers, and when that was said.
alter table news.item
  add column correction text check (correction <> ''),
  add column corrected_at timestamptz(3);
