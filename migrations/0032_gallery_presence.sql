-- Who has which article open at the desk, for as long as their page says so.

create table gallery.presence (
  -- Made up by the page, and known to it alone.
  tab uuid primary key,
  session_id uuid not null references gallery.session (id) on delete cascade,
  name text not null,
  article_id integer not null check (article_id > 0),
  mode text collate "C" not null check (mode in ('writing', 'waiting', 'looking')),
  -- Who writes it instead; null unless somebody has taken over.
  taken_by text,
  since timestamptz(3) not null default clock_timestamp(),
  seen_at timestamptz(3) not null default clock_timestamp()
);

create index presence_by_article on gallery.presence (article_id, since);
create index presence_by_session on gallery.presence (session_id);
