-- One source could use up a day's quota of selected items, and what a model may be asked for on a day:
-- nothing was left for the others. What each has used is counted. A column without a default and a new table,
-- so nothing waits for long; a worker of an earlier build counts for nobody.

-- The source for which an article took its place.
alter table news.editorial_slot add column source bigint;

-- Parts of `news.editorial_budget`, by who has used them.
create table news.editorial_share (
  day date not null,
  -- `source ID`, or `digests`.
  spender text collate "C" not null,
  requests integer not null,
  tokens bigint not null,
  primary key (day, spender)
);
