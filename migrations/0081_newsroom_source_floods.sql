-- How many entries a source has brought within a day, so that one that floods is held back. New columns with
-- constant defaults, so nothing waits for long.

alter table news.source
  -- When the day began in which `taken` entries were kept, new ones and changed ones.
  add column taken_since timestamptz(3),
  add column taken integer not null default 0;
