-- Tags: an article has any number of them, in the order in which they were given.

create table content.tag (
  id integer generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 100),
  slug text not null constraint tag_slug_key unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  description text check (char_length(description) <= 500),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

create index tag_by_name on content.tag (name, id);

create trigger lock_slugs before insert or update of slug on content.tag
  for each statement execute function content.lock_slugs();
create trigger refuse_former_slugs after insert on content.tag
  referencing new table as added for each statement execute function content.refuse_former_slugs();
create trigger claim_slug after update of slug on content.tag
  for each row when (old.slug <> new.slug) execute function content.claim_slug();
create trigger keep_former_slug after update of slug on content.tag
  for each row when (old.slug <> new.slug) execute function content.keep_former_slug();
create trigger forget_former_slugs after delete on content.tag
  referencing old table as removed for each statement execute function content.forget_former_slugs();
create trigger forget_all_former_slugs after truncate on content.tag
  for each statement execute function content.forget_former_slugs();
create trigger announce_change after insert or update or delete or truncate on content.tag
  for each statement execute function content.announce_change();
create trigger forget_counts after delete on content.tag
  for each row execute function content.forget_counts('tag');

-- The tags of an article belong to its row, so that whatever watches the row sees them change.
alter table content.article add column tag_ids integer[] not null default '{}';

-- The same by tag, with copies of what orders a list: a tag's list is read by its index alone, like a
-- category's. Kept by the trigger below; its foreign key keeps a tag while articles have it.
create table content.article_tag (
  article_id integer not null references content.article on delete cascade,
  tag_id integer not null constraint article_tag_tag_id_fkey references content.tag,
  is_published boolean not null,
  published_at timestamptz(3),
  primary key (article_id, tag_id)
);

create index article_tag_by_tag on content.article_tag (tag_id, is_published, published_at desc, article_id desc);

create function content.keep_article_tags() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from content.article_tag as kept using removed join added using (id)
      where kept.article_id = added.id and removed.tag_ids <> added.tag_ids and kept.tag_id <> all (added.tag_ids);
    insert into content.article_tag as kept (article_id, tag_id, is_published, published_at)
      select distinct added.id, tag_id, added.is_published, added.published_at
      from added join removed using (id) cross join unnest(added.tag_ids) as tag_id
      where (added.tag_ids, added.is_published, added.published_at)
        is distinct from (removed.tag_ids, removed.is_published, removed.published_at)
      on conflict (article_id, tag_id)
        do update set is_published = excluded.is_published, published_at = excluded.published_at
        where (kept.is_published, kept.published_at) is distinct from (excluded.is_published, excluded.published_at);
  else
    insert into content.article_tag (article_id, tag_id, is_published, published_at)
      select distinct id, tag_id, is_published, published_at from added cross join unnest(tag_ids) as tag_id;
  end if;
  return null;
end
$$;

create trigger keep_tags_inserted after insert on content.article
  referencing new table as added for each statement execute function content.keep_article_tags();
create trigger keep_tags_updated after update on content.article
  referencing old table as removed new table as added for each statement execute function content.keep_article_tags();

create trigger count_inserted after insert on content.article_tag referencing new table as added
  for each statement execute function content.count_articles($$('tag', tag_id)$$);
create trigger count_updated after update on content.article_tag referencing old table as removed new table as added
  for each statement execute function content.count_articles($$('tag', tag_id)$$);
create trigger count_deleted after delete on content.article_tag referencing old table as removed
  for each statement execute function content.count_articles($$('tag', tag_id)$$);
