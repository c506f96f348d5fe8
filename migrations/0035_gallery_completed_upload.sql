-- Multipart uploads that have been, or are being, completed: a client that missed the answer asks again and
-- gets it, although stores forget an upload once it is completed. A new table, so nothing waits for a lock.

create table gallery.completed_upload (
  -- SHA-256 of bucket, key, upload and the named parts.
  id bytea primary key check (octet_length(id) = 32),
  -- The entity tag that identifies the object: first the one that S3 computes from the parts, then the one
  -- returned by the store.
  etag text not null check (char_length(etag) <= 255),
  -- In bytes.
  size bigint not null check (size >= 0),
  begun_at timestamptz(3) not null default clock_timestamp()
);

create index completed_upload_by_age on gallery.completed_upload (begun_at);
