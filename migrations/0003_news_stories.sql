-- The schema of the news feed, and stories with their references.

do $$
begin
  if current_setting('server_version_num')::integer < 180000 then
    raise exception 'PostgreSQL % is too old: the news feed needs version 18 or later (casefold, uuidv7)',
      current_setting('server_version');
  end if;
end
$$;

create schema news;

create table news.story (
  public_id text collate "C" primary key
    check (public_id ~ '^[A-Za-z0-9._~-]{1,128}$' and public_id not in ('.', '..')),
  title text not null check (title <> ''),
  status text not null default 'active' check (status in ('active', 'settled')),
  digest text,
  digest_updated_at timestamptz(3) check ((digest is null) = (digest_updated_at is null)),
  -- Who wrote the digest; null is a person, whose text the newsroom leaves alone.
  digest_by text check (digest_by in ('rules', 'model')),
  -- The story that this one has become; its own id redirects there.
  merged_into text collate "C" constraint story_merged_into_fkey references news.story,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

-- The stories whose digest the rules have written last, which a model may rewrite.
create index story_by_rules_digest on news.story (digest_updated_at) where digest_by = 'rules';
create index story_by_survivor on news.story (merged_into) where merged_into is not null;

-- Merges wait for each other here: two merges that are valid separately must not form a cycle together. This
-- is a row, not an advisory lock, so that a transaction with an old snapshot fails (40001) instead of missing
-- the other merge.
create table news.story_merge (
  singleton boolean primary key default true check (singleton),
  merges bigint not null
);
insert into news.story_merge (merges) values (0);

create function news.refuse_merge_circle() returns trigger language plpgsql as $$
declare
  survivor text := new.merged_into;
begin
  update news.story_merge set merges = merges + 1;
  while survivor is not null loop
    if survivor = new.public_id then
      raise exception 'merging story % into % would form a cycle', new.public_id, new.merged_into
        using errcode = 'check_violation', schema = 'news', table = 'story', constraint = 'story_merge_circle';
    end if;
    select merged_into into survivor from news.story where public_id = survivor;
  end loop;
  return new;
end
$$;

create trigger refuse_merge_circle before insert or update of merged_into, public_id on news.story
  for each row when (new.merged_into is not null) execute function news.refuse_merge_circle();

-- The references of a story: other stories of its storyline and related ones, in display order.
create table news.story_reference (
  story text collate "C" not null references news.story on delete cascade,
  kind text not null check (kind in ('storyline', 'related')),
  neighbor text collate "C" not null references news.story on delete cascade check (neighbor <> story),
  relation text not null check (relation <> ''),
  position integer not null,
  primary key (story, kind, neighbor)
);

create index story_reference_by_neighbor on news.story_reference (neighbor);

-- Stories that a person has split: the newsroom does not merge them again.
create table news.story_split (
  story text collate "C" not null references news.story on delete cascade,
  other text collate "C" not null references news.story on delete cascade check (other <> story),
  primary key (story, other)
);

create index story_split_by_other on news.story_split (other);

-- What a model has made of a story's reports: it writes the next digest from its previous one and the new
-- reports only.
create table news.story_model_digest (
  story text collate "C" primary key references news.story on delete cascade,
  -- The last digest of the model that was kept; null if none was.
  digest text,
  -- The reports that this digest knows.
  item_ids text[] collate "C" not null default '{}',
  -- The time of the rules' digest for which the model was last asked.
  asked_for timestamptz(3) not null
);
