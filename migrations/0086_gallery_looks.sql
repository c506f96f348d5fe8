-- What a picture looks like from afar: the desk shows it until the thumbnail is there.
create table gallery.look (
  -- SHA-256 of the bucket, the key and the entity tag: another file at the key has another look.
  id bytea primary key check (octet_length(id) = 32),
  -- ThumbHash.
  thumbhash bytea not null check (octet_length(thumbhash) between 5 and 25),
  seen_at timestamptz(0) not null default now()
);

create index look_by_age on gallery.look (seen_at);
