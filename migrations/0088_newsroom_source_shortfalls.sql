-- An editor could not see why entries of a feed did not arrive, and entries that change all the time left no
-- room for new ones. New columns with constant defaults, so nothing waits for long; a worker of an earlier
-- build leaves them as they are.

alter table news.source
  -- Entries of the last feed that was read which cannot be items, and those beyond the most that are read.
  add column unusable_entries integer not null default 0,
  add column unread_entries integer not null default 0,
  -- Changed entries that were kept since `taken_since`; `taken` are the new ones.
  add column taken_changes integer not null default 0;
