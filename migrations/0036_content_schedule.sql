-- Articles that are published, and taken back, at a time: services/content/src/schedule carries it out.

-- Articles that are published together.
create table content.release (
  name text primary key check (name ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(name) <= 100),
  -- Null: not decided yet.
  publish_at timestamptz(3),
  -- When it was; nothing joins it from then on.
  published_at timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp()
);

create index release_by_time on content.release (publish_at desc, name);
create index release_by_due on content.release (publish_at) where published_at is null;

alter table content.article
  -- Of a draft that has not got a release, which has its own time.
  add column publish_at timestamptz(3),
  add column unpublish_at timestamptz(3),
  add column release text constraint article_release_fkey references content.release on delete set null;

-- What is due next; and what is planned, in the order of time, page by page.
create index article_by_due on content.article ((case when is_published then unpublish_at else publish_at end), id)
  where (case when is_published then unpublish_at else publish_at end) is not null;
create index article_by_release on content.article (release) where release is not null;

-- What is published already needs no time for it, whoever published it.
create function content.forget_schedule() returns trigger language plpgsql as $$
begin
  new.publish_at := null;
  new.release := null;
  return new;
end
$$;

create trigger forget_schedule before insert or update on content.article
  for each row when (new.is_published and (new.publish_at is not null or new.release is not null))
  execute function content.forget_schedule();

-- Wakes the services, which sleep until something is due.
create function content.announce_schedule() returns trigger language plpgsql as $$
begin
  perform pg_notify('content_scheduled', '');
  return null;
end
$$;

create trigger announce_schedule_inserted after insert on content.article
  for each row when (new.publish_at is not null or new.unpublish_at is not null)
  execute function content.announce_schedule();
create trigger announce_schedule_updated after update on content.article
  for each row when (
    case when new.is_published then new.unpublish_at else new.publish_at end
      is distinct from case when old.is_published then old.unpublish_at else old.publish_at end
  ) execute function content.announce_schedule();
create trigger announce_schedule after insert or update on content.release
  for each row when (new.publish_at is not null) execute function content.announce_schedule();
