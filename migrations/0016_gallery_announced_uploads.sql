-- What was announced of uploads in parts: one that lacks a part would be completed to a file with a hole.

create table gallery.announced_upload (
  -- SHA-256 of bucket, key and upload.
  id bytea primary key check (octet_length(id) = 32),
  -- In bytes; each part but the last has the size of a part.
  size bigint not null check (size > 0),
  part_size bigint not null check (part_size > 0),
  begun_at timestamptz(3) not null default clock_timestamp()
);

create index announced_upload_by_age on gallery.announced_upload (begun_at);
