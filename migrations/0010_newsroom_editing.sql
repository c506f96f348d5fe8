-- What the newsroom's editor keeps: why an item has its score, how many items were selected on a day, what a
-- model has answered and cost, and the index by which it finds the story of a new item.

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
  -- The source for which it took its place: one source gets a part of the quota.
  source bigint,
  primary key (day, article)
);

-- What a model was asked for on a day.
create table news.editorial_budget (
  day date primary key,
  requests integer not null default 0,
  tokens bigint not null default 0
);

-- Parts of `news.editorial_budget`, by who has used them.
create table news.editorial_share (
  day date not null,
  -- `source ID`, or `digests`.
  spender text collate "C" not null,
  requests integer not null,
  tokens bigint not null,
  primary key (day, spender)
);

-- Valid answers of a model, by what it was asked.
create table news.editorial_answer (
  hash bytea primary key,
  answer jsonb not null,
  answered_at timestamptz(3) not null
);

create index editorial_answer_by_time on news.editorial_answer (answered_at);

-- For each item its terms, and for each term its items. pg_trgm is not needed, and could not compare Chinese
-- with English.
create table news.report_terms (
  -- Numbers grow with time, so the largest of a term are its newest.
  number bigint generated always as identity primary key,
  item_id text collate "C" not null unique references news.item on delete cascade,
  published_at timestamptz(3) not null,
  -- What is compared (newsroom/stories/report-terms.ts): terms with their weights, marks, language.
  report jsonb not null,
  terms text[] collate "C" not null
);

create index report_terms_by_publication on news.report_terms (published_at);

create table news.term_report (
  term text collate "C" not null,
  number bigint not null,
  primary key (term, number)
);

create function news.keep_term_reports() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from news.term_report where number = old.number and term = any(old.terms);
  elsif tg_op = 'INSERT' then
    insert into news.term_report (term, number) select distinct unnest(new.terms), new.number;
  else
    truncate news.term_report;
  end if;
  return null;
end
$$;

create trigger keep_term_reports after insert or delete on news.report_terms
  for each row execute function news.keep_term_reports();
create trigger keep_term_reports_truncation after truncate on news.report_terms
  for each statement execute function news.keep_term_reports();
