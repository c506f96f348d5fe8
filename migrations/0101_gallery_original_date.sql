-- When what has been moved or renamed was written: a store dates a copy by when it was made. A new table, so
-- nothing waits for a lock.

create table gallery.original_date (
  -- SHA-256 of the bucket and the key.
  id bytea primary key check (octet_length(id) = 32),
  -- The store's date of the object at the key, in seconds, by which another object there is known.
  stored_at timestamptz(0) not null,
  modified_at timestamptz(3) not null
);
