-- Multipart uploads that have been, or are being, completed: a client whose answer was lost asks again and
-- gets it. Stores forget an upload when they complete it. A table of its own: nothing waits for it.

create table gallery.completed_upload (
  -- SHA-256 of bucket, key, upload and the parts that were named.
  id bytea primary key check (octet_length(id) = 32),
  -- The entity tag by which the object is known: first the one that S3 makes of such parts, then the one that
  -- the store told.
  etag text not null check (char_length(etag) <= 255),
  -- In bytes.
  size bigint not null check (size >= 0),
  begun_at timestamptz(3) not null default clock_timestamp()
);

create index completed_upload_by_age on gallery.completed_upload (begun_at);
