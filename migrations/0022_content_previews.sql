-- Links to one article that whoever has them may read, published or not, until they expire or are revoked.
create table content.preview (
  id integer generated always as identity primary key,
  article_id integer not null references content.article on delete cascade,
  -- SHA-256 of the token; the token itself is shown only once and never stored.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null
);

create index preview_by_article on content.preview (article_id, id);
