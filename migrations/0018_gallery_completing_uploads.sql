-- Which multipart upload is being completed at a key, where a store does not honour the condition that it
-- replaces nothing else: what one puts there is kept before the next one replaces it.
create table gallery.completing_upload (
  -- SHA-256 of the bucket and the key.
  id bytea primary key check (octet_length(id) = 32),
  upload_id text not null,
  -- The others wait until it is no longer open, and no longer than this.
  leased_until timestamptz(3) not null
);

create index completing_upload_by_end on gallery.completing_upload (leased_until);
