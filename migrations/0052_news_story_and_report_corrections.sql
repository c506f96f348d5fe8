-- What was wrong with a story, its digest or a report, for readers, and when that was said. A report's
-- `corrected_at` is when it was composed again.
alter table news.story
  add column correction text check (correction <> ''),
  add column corrected_at timestamptz(3);
alter table news.daily
  add column correction text check (correction <> ''),
  add column noted_at timestamptz(3);
alter table news.weekly
  add column correction text check (correction <> ''),
  add column noted_at timestamptz(3);
alter table news.monthly
  add column correction text check (correction <> ''),
  add column noted_at timestamptz(3);
