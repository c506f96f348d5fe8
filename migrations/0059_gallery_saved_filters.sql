-- The filters of the desk's list of articles that people have saved under a name.
create table gallery.saved_filter (
  -- Made by the page, so that the same request saves one.
  id uuid primary key,
  -- Null for the account of the environment.
  person_id uuid references gallery.person on delete cascade,
  name text not null check (char_length(name) between 1 and 60),
  -- The query of the list's address, such as status=draft&tag=sea.
  query text not null check (char_length(query) between 1 and 500),
  shared boolean not null,
  created_at timestamptz(3) not null default clock_timestamp()
);

create index saved_filter_by_person on gallery.saved_filter (person_id, created_at);
create index saved_filter_shared on gallery.saved_filter (created_at) where shared;
