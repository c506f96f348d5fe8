-- A request that is answered when its work is done is a batch that somebody waits for: one table for both.
-- Adds columns with constant defaults, which waits for no rows; what was recorded of the last day's awaited
-- requests goes.

alter table gallery.batch
  -- Whether it was answered at once, is listed, and can be resumed.
  add column background boolean not null default true,
  -- Whether the answer with the outcome was completely sent to a client that was still connected.
  add column delivered boolean not null default false;

-- The same request finds its batch.
create index batch_by_fingerprint on gallery.batch (fingerprint);

-- Awaited ones are forgotten after a day.
create index batch_awaited_by_age on gallery.batch (changed_at) where not background;

drop table gallery.operation;
