-- What a copy or move has begun is recorded with it, where it is resumed. Adds a column without a default,
-- which waits for no rows. To repeat a transfer that an earlier build has left half done is a conflict.

alter table gallery.batch
  -- The sources and destinations of a copy or move, from its first copy on: its copies at the destination are
  -- distinguished from the objects of others when it is resumed.
  add column transfers jsonb;

drop table gallery.unfinished_transfer;
