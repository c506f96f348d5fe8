-- Imports at the desk: the file in parts, so that every replica can do the work, and what came of it.

create table content.import (
  id integer generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 255),
  format text collate "C" not null check (format in ('wordpress', 'ghost', 'jsonl')),
  -- In bytes.
  size bigint not null check (size > 0),
  -- False once the parts are removed; nothing more can come of it then, but it can be undone.
  has_file boolean not null default true,
  state text collate "C" not null default 'uploading' check (
    state in ('uploading', 'checking', 'checked', 'running', 'done', 'undoing', 'undone', 'failed')
  ),
  options jsonb not null default '{}',
  -- What the file was found to have, as far as it is read, and what stays out of it, by reason.
  counts jsonb not null default '{}',
  -- Why it failed, and at what.
  failure jsonb,
  -- Who asked for the work last.
  actor jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  changed_at timestamptz(3) not null default clock_timestamp(),
  -- Until when a process has the work in hand, and how often one has begun it.
  lease_until timestamptz,
  attempts integer not null default 0
);

create index import_at_work on content.import (id) where state in ('checking', 'running', 'undoing');

create table content.import_part (
  import_id integer not null references content.import on delete cascade,
  number integer not null check (number > 0),
  bytes bytea not null,
  primary key (import_id, number)
);

-- Compressing them once more would take longer than it is worth.
alter table content.import_part alter column bytes set storage external;

create table content.import_entry (
  import_id integer not null references content.import on delete cascade,
  number integer not null,
  outcome text collate "C" not null check (outcome in ('created', 'adapted', 'known', 'refused')),
  place text not null,
  title text,
  article_id integer,
  reasons jsonb not null default '[]',
  primary key (import_id, number)
);

create index import_entry_by_outcome on content.import_entry (import_id, outcome, number);

-- The articles that an import has made, and what an undo did with each. No foreign key: they may go.
create table content.imported_article (
  import_id integer not null references content.import on delete cascade,
  article_id integer not null,
  undone text collate "C" check (undone in ('removed', 'changed', 'gone')),
  primary key (import_id, article_id)
);

create index imported_article_by_article on content.imported_article (article_id);
