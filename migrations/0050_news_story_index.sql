-- The index by which the newsroom finds the story of a new item: for each item its terms, and for each term
-- its items. pg_trgm is not needed, and could not compare Chinese with English. New tables and a column with
-- a constant default, so nothing waits.

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

-- Who wrote the digest; null is a person, whose text the newsroom leaves alone.
alter table news.story add column digest_by text check (digest_by in ('rules', 'model'));

-- Stories that a person has split: the newsroom does not merge them again.
create table news.story_split (
  story text collate "C" not null references news.story on delete cascade,
  other text collate "C" not null references news.story on delete cascade check (other <> story),
  primary key (story, other)
);

create index story_split_by_other on news.story_split (other);
