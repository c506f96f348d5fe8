-- Rankings of the hot topics.

-- A ranking and its entries are written in one transaction, so a partial ranking is never visible. The latest
-- ranking has the largest id.
create table news.ranking (
  id bigint generated always as identity primary key,
  published_at timestamptz(3) not null default clock_timestamp(),
  -- The parameters of the formula, in addition to the inputs of the entries.
  parameters jsonb not null default '{}'
);

create table news.ranking_entry (
  ranking_id bigint not null references news.ranking on delete cascade,
  -- Null: the list of all directions.
  direction text,
  rank integer not null check (rank > 0),
  item_id text collate "C" not null references news.item on delete cascade,
  source_count integer not null,
  signal_count integer not null,
  participant_count integer,
  source_names text[] not null,
  latest_at timestamptz(3) not null,
  -- All inputs of the rank, so that it can be explained.
  inputs jsonb not null,
  unique nulls not distinct (ranking_id, direction, rank)
);

create index ranking_entry_by_item on news.ranking_entry (item_id);
