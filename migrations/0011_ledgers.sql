-- One ledger for every set that clients copy, and how replicas of the news feed hear of changes.

-- The selected set of the news feed, and what the content service publishes. docs/ledger.md explains why
-- nothing is lost. A change of these functions is a new file with the same loop.

do $do$
declare
  of_schema text;
begin
  foreach of_schema in array array['news', 'content'] loop
    execute format($ledger$
      -- A single row. Only the transaction that holds its lock numbers changes.
      create table %1$s.ledger (
        singleton boolean primary key default true check (singleton),
        -- Names this history: cursors of other histories are refused.
        epoch uuid not null default gen_random_uuid(),
        -- The largest number assigned.
        head bigint not null default 0,
        -- When it was assigned. A snapshot shows this time, so that the snapshot does not change while the
        -- set does not.
        head_at timestamptz(3) not null default clock_timestamp()
      ) with (fillfactor = 10);
      insert into %1$s.ledger default values;

      -- Changes that do not have a number yet, written by triggers in the transaction of the change itself.
      create table %1$s.ledger_change (
        id bigint generated always as identity primary key,
        item_id text collate "C" not null,
        changed_at timestamptz(3) not null default clock_timestamp()
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

      -- For each item that was ever in the set, the number of its latest change. Whether that is an upsert or
      -- a removal depends on the item at the time of reading.
      create table %1$s.ledger_entry (
        item_id text collate "C" primary key,
        seq bigint not null constraint ledger_entry_seq_key unique,
        changed_at timestamptz(3) not null
      ) with (autovacuum_vacuum_scale_factor = 0.05);

      -- Changes that a mirror has seen must survive a crash, whatever the server's default: a lost change
      -- would remain in the mirror's copy.
      create function %1$s.commit_durably() returns void language plpgsql as $$
      begin
        if current_setting('synchronous_commit') = 'off' then
          perform set_config(
            'synchronous_commit',
            coalesce(nullif(current_setting('%1$s.durable_commit', true), ''), 'local'),
            true
          );
        end if;
      end
      $$;

      -- The trigger's argument is the kind of the item, in a set that has several: `kind:id`.
      create function %1$s.record_change() returns trigger language plpgsql as $$
      begin
        perform %1$s.commit_durably();
        insert into %1$s.ledger_change (item_id)
        values (coalesce(tg_argv[0] || ':', '') || case when tg_op = 'DELETE' then old.id else new.id end);
        return null;
      end
      $$;

      -- The trigger's arguments are the condition of being in the set, and the kind as above. A transaction
      -- that keeps its first snapshot would miss members that were committed after it, and mirrors would keep
      -- them. A read committed transaction already holds the table lock here and sees them all.
      create function %1$s.record_truncation() returns trigger language plpgsql as $$
      begin
        if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
          raise exception 'TRUNCATE of %%.%% needs a read committed transaction', tg_table_schema, tg_table_name
            using errcode = 'invalid_transaction_state',
              hint = 'Begin with BEGIN ISOLATION LEVEL READ COMMITTED, or use DELETE.';
        end if;
        perform %1$s.commit_durably();
        execute format(
          'insert into %1$s.ledger_change (item_id) select %%L || id from %%s where %%s',
          coalesce(tg_argv[1] || ':', ''), tg_relid::regclass, tg_argv[0]
        );
        return null;
      end
      $$;

      create function %1$s.refuse_new_id() returns trigger language plpgsql as $$
      begin
        raise exception 'the id of a row of %%.%% never changes', tg_table_schema, tg_table_name
          using errcode = 'check_violation', schema = tg_table_schema, table = tg_table_name,
            constraint = tg_table_name || '_id_is_fixed';
      end
      $$;

      -- Assigns numbers to the oldest `batch` committed changes that do not have one, and returns how many it
      -- took. One caller works at a time while the others wait, so numbers are committed in the order in
      -- which they are assigned.
      create function %1$s.settle_ledger(batch integer) returns integer language plpgsql as $$
      declare
        last bigint;
        taken integer;
        numbered integer;
      begin
        if not exists (select from %1$s.ledger_change) then
          return 0;
        end if;
        perform %1$s.commit_durably();
        select head into strict last from %1$s.ledger for update;
        -- This statement's snapshot is newer than the lock, so it sees the work of the previous caller.
        with change as (
          delete from %1$s.ledger_change
          where id in (select id from %1$s.ledger_change order by id limit batch)
          returning id, item_id, changed_at
        ), latest as (
          select distinct on (item_id) item_id, id, changed_at from change order by item_id, id desc
        ), entry as (
          insert into %1$s.ledger_entry (item_id, seq, changed_at)
          select item_id, last + row_number() over (order by id), changed_at from latest order by id
          on conflict (item_id) do update set seq = excluded.seq, changed_at = excluded.changed_at
          returning 1
        )
        select (select count(*) from change), (select count(*) from entry) into taken, numbered;
        if numbered > 0 then
          update %1$s.ledger set head = last + numbered, head_at = clock_timestamp();
        end if;
        return taken;
      end
      $$;

      -- Declares the history broken, for example after a restore: every existing cursor is refused from now
      -- on, so the old entries are no longer needed.
      create function %1$s.start_ledger_epoch() returns uuid language sql as $$
        update %1$s.ledger set epoch = gen_random_uuid(), head_at = clock_timestamp();
        delete from %1$s.ledger_entry;
        select epoch from %1$s.ledger;
      $$;
    $ledger$, of_schema);
  end loop;
end
$do$;

-- The worker need not wait for the disk: what a crash takes back, it makes again, because the entries are
-- then pending again. Changes of the selected set still wait, for as much as the server asks of other
-- commits; if its default is `off`, for the local disk. To be called before any change.
create function news.commit_later() returns void language plpgsql as $$
begin
  if current_setting('synchronous_commit') <> 'off' then
    perform set_config('news.durable_commit', current_setting('synchronous_commit'), true),
      set_config('synchronous_commit', 'off', true);
  end if;
end
$$;

-- The selected set.
create trigger refuse_new_id before update of id on news.item
  for each row when (old.id <> new.id) execute function news.refuse_new_id();
create trigger record_insert after insert on news.item
  for each row when (new.in_selected_set) execute function news.record_change();
-- Every column that items in snapshots and changes show is compared here.
create trigger record_update after update on news.item
  for each row when (
    (old.in_selected_set or new.in_selected_set) and (
      old.in_selected_set, old.title, old.original_title, old.summary, old.source_name, old.original_url,
      old.published_at, old.discovered_at, old.category, old.score, old.directions, old.image, old.language
    ) is distinct from (
      new.in_selected_set, new.title, new.original_title, new.summary, new.source_name, new.original_url,
      new.published_at, new.discovered_at, new.category, new.score, new.directions, new.image, new.language
    )
  ) execute function news.record_change();
create trigger record_delete after delete on news.item
  for each row when (old.in_selected_set) execute function news.record_change();
create trigger record_truncation before truncate on news.item
  for each statement execute function news.record_truncation('in_selected_set');

-- Published articles, categories, tags and authors. Drafts cost nothing; `content.follow_inserted_articles`
-- records new articles.
create trigger refuse_new_id before update of id on content.article
  for each row when (old.id <> new.id) execute function content.refuse_new_id();
-- Every column that copies show is compared here; content comes last, because it is read only if all others
-- are the same.
create trigger record_update after update on content.article
  for each row when (
    (old.is_published or new.is_published) and (
      old.updated_at, old.is_published, old.published_at, old.created_at, old.category_id, old.tag_ids, old.author_ids,
      old.title, old.slug, old.excerpt, old.featured_image, old.alt_text, old.author, old.meta_title,
      old.meta_description, old.canonical_url, old.extra, old.content
    ) is distinct from (
      new.updated_at, new.is_published, new.published_at, new.created_at, new.category_id, new.tag_ids, new.author_ids,
      new.title, new.slug, new.excerpt, new.featured_image, new.alt_text, new.author, new.meta_title,
      new.meta_description, new.canonical_url, new.extra, new.content
    )
  ) execute function content.record_change('article');
create trigger record_delete after delete on content.article
  for each row when (old.is_published) execute function content.record_change('article');
create trigger record_truncation before truncate on content.article
  for each statement execute function content.record_truncation('is_published', 'article');

-- Records every change of a table whose rows are all published. Its kind also has an entry in
-- services/content/src/sync/kinds.ts.
create procedure content.record_all(of_table regclass, kind text) language plpgsql as $do$
begin
  execute format($triggers$
    create trigger refuse_new_id before update of id on %1$s
      for each row when (old.id <> new.id) execute function content.refuse_new_id();
    create trigger record_insert after insert on %1$s
      for each row execute function content.record_change(%2$L);
    create trigger record_update after update on %1$s
      for each row when (old.* is distinct from new.*) execute function content.record_change(%2$L);
    create trigger record_delete after delete on %1$s
      for each row execute function content.record_change(%2$L);
    create trigger record_truncation before truncate on %1$s
      for each statement execute function content.record_truncation('true', %2$L);
  $triggers$, of_table, kind);
end
$do$;

call content.record_all('content.category', 'category');
call content.record_all('content.tag', 'tag');
call content.record_all('content.author', 'author');

-- Cached answers have cursors, which end with their epoch. Numbering a change needs no announcement: the
-- change was announced itself.
create trigger announce_change after update of epoch on content.ledger
  for each statement execute function content.announce_change();

-- Replicas of the news feed cache finished answers and drop them when they hear of a change. docs/ledger.md,
-- "How replicas hear of a change", has the proof; the comments below refer to its invariants by number.

-- Counts changes that are not announced. A sequence rather than a table: it is never rolled back, does not
-- belong to a snapshot, does not cause conflicts, and does not grow while a transaction stays open.
create sequence news.quiet_change;
-- Consumes the first number, because drawing it does not change the readable value of a sequence.
select nextval('news.quiet_change');

-- Transactions that notify commit one after the other, so only one at a time notifies. The others hold a
-- shared lock until they have ended, and count. 1852143475 is "news" in ASCII; 1 is the right to notify, 2
-- the shared lock.
create function news.announce_change() returns trigger language plpgsql as $$
begin
  if pg_try_advisory_xact_lock(1852143475, 1) then
    perform pg_notify('news_changed', '');
  else
    -- In this order, so that a reader that sees the number also sees the lock until the transaction has ended
    -- (A2).
    perform pg_advisory_xact_lock_shared(1852143475, 2);
    perform nextval('news.quiet_change');
  end if;
  return null;
end
$$;

-- The watermark that a replica compares between two heartbeats: the number, and the transactions that hold
-- the shared lock. Volatile and in two statements, so that the number is read first (A3).
create function news.change_watermark() returns text language plpgsql volatile as $$
declare
  number bigint;
  writers text;
begin
  select last_value into strict number from news.quiet_change;
  select string_agg(virtualtransaction, ' ' order by virtualtransaction) into writers
    from pg_locks
    where locktype = 'advisory' and classid = 1852143475 and objid = 2 and objsubid = 2
      and database = (select oid from pg_database where datname = current_database());
  return concat_ws(' ', number, writers);
end
$$;

-- Of every table that answers show.
do $do$
declare
  shown text;
begin
  foreach shown in array array[
    'item', 'story', 'story_reference', 'ranking', 'ranking_entry', 'daily', 'weekly', 'monthly',
    'reset_event', 'reset_post', 'reset_activity', 'reset_outage', 'reset_monitor'
  ] loop
    execute format(
      'create trigger announce_change after insert or update or delete or truncate on news.%s
        for each statement execute function news.announce_change()',
      shown);
  end loop;
end
$do$;

create trigger announce_change after update on news.ledger
  for each statement execute function news.announce_change();
