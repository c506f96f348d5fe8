-- What the newsroom's editor keeps: why an item has its score, how many items were selected on a day, and
-- what a model has answered and cost. New tables, so nothing waits.

create table news.item_judgement (
  item_id text collate "C" primary key references news.item on delete cascade,
  judged_at timestamptz(3) not null,
  category text,
  score double precision,
  selected boolean not null,
  reason text,
  -- [{name, points, note}] that add up to the score.
  terms jsonb not null
);

-- One row for each article that took a place in the quota of a day, whichever worker judged it, however
-- often.
create table news.editorial_slot (
  day date not null,
  article text collate "C" not null,
  primary key (day, article)
);

-- What a model was asked for on a day.
create table news.editorial_budget (
  day date primary key,
  requests integer not null default 0,
  tokens bigint not null default 0
);

-- Valid answers of a model, by what it was asked.
create table news.editorial_answer (
  hash bytea primary key,
  answer jsonb not null,
  answered_at timestamptz(3) not null
);

create index editorial_answer_by_time on news.editorial_answer (answered_at);
