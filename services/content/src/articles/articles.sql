-- All triggers of `content.article`, in the order in which they run for an event. Those of one kind run in
-- the order of their names.

-- Before an article is created or changed.

-- `content.follow_inserted_articles` refuses former slugs of articles; those of a deleted one stay until it
-- cannot be restored any more.
create or replace trigger lock_slugs before insert or update of slug on content.article
  for each statement execute function content.lock_slugs();

-- Created. PostgreSQL compiles the condition of every trigger anew for each statement, and most would find
-- nothing to do for most articles: one trigger before the articles and one after them do what others do for
-- a change.

create or replace function content.prepare_inserted_article() returns trigger language plpgsql as $$
begin
  if new.is_published then
    new.publish_at := null;
    new.release := null;
  end if;
  if new.author_ids <> '{}' then
    new.author := left(coalesce(content.author_names(new.author_ids), new.author), 255);
  end if;
  return new;
end
$$;

create or replace trigger prepare_inserted before insert on content.article
  for each row when (
    new.author_ids <> '{}' or (new.is_published and (new.publish_at is not null or new.release is not null))
  ) execute function content.prepare_inserted_article();

create or replace function content.follow_inserted_articles() returns trigger language plpgsql as $$
declare
  is_linked boolean;
  is_planned boolean;
  is_restored boolean;
  takes_place boolean;
  takes_slug boolean;
  has_hooks boolean;
  taken text;
begin
  select
      exists (
        select from added where tag_ids <> '{}' or author_ids <> '{}'
          or content like '%/media/%' or featured_image like '%/media/%' or social_image like '%/media/%'
      ),
      exists (select from added where coalesce(publish_at, unpublish_at) is not null or release is not null),
      exists (select from added where revision > 1),
      exists (select from added join content.deleted_article on article_id = added.id where revision = 1),
      exists (select from added join content.former_slug as former using (slug) where resource = 'article'),
      exists (select from content.hook)
    into is_linked, is_planned, is_restored, takes_place, takes_slug, has_hooks;

  insert into content.ledger_change (item_id) select 'article:' || id from added where is_published order by id;
  if found then
    perform content.commit_durably();
    -- An import announces itself once, not each article.
    if current_setting('pressroom.import', true) is distinct from 'on' then
      insert into content.audit (action, article_id, detail)
        select 'article.published', id, jsonb_build_object('slug', slug, 'published_at', published_at)
        from added where is_published order by id;
    end if;
  end if;
  if is_planned then
    insert into content.audit (action, article_id, detail)
      select 'article.planned', id,
        jsonb_build_object('publish_at', publish_at, 'unpublish_at', unpublish_at, 'release', release)
      from added where coalesce(publish_at, unpublish_at) is not null or release is not null order by id;
    perform pg_notify('content_scheduled', '');
  end if;
  if is_restored then
    insert into content.audit (action, article_id, detail)
      select 'article.restored', id, jsonb_build_object('slug', slug, 'title', title, 'is_published', is_published)
      from added where revision > 1 order by id;
  end if;
  -- Frees the slugs of replaced articles before slugs are refused.
  if takes_place then
    delete from content.deleted_article using added where article_id = id and revision = 1;
  end if;
  if takes_slug then
    select slug into taken from added join content.former_slug as former using (slug) where resource = 'article' limit 1;
    if found then
      perform content.refuse_former_slug('article', taken);
    end if;
  end if;
  if is_linked then
    insert into content.article_author (article_id, author_id, is_published, published_at)
      select distinct id, author_id, is_published, published_at from added cross join unnest(author_ids) as author_id;
    insert into content.article_tag (article_id, tag_id, is_published, published_at)
      select distinct id, tag_id, is_published, published_at from added cross join unnest(tag_ids) as tag_id;
    insert into content.article_media (article_id, path)
      select id, path from added cross join content.media_in(concat_ws(' ', featured_image, social_image), content) as path
      where content like '%/media/%' or featured_image like '%/media/%' or social_image like '%/media/%';
    perform content.know_pictures(array(select featured_image from added where featured_image like '%/media/%'));
  end if;
  if has_hooks then
    perform content.add_article_events(null, (id, slug, category_id, tag_ids, author_ids, is_published, series_id)::content.article_state)
      from added order by id;
  end if;
  return null;
end
$$;

create or replace trigger announce_inserted after insert on content.article
  referencing new table as added for each statement execute function content.announce_articles();

create or replace trigger count_inserted after insert on content.article
  referencing new table as added for each statement execute function content.count_article();

create or replace trigger follow_inserted after insert on content.article referencing new table as added
  for each statement execute function content.follow_inserted_articles();
create or replace trigger queue_inserted_for_search after insert on content.article
  referencing new table as added for each statement execute function content.queue_for_search();

-- Changed: before the row is written.

create or replace trigger forget_schedule before update on content.article
  for each row when (new.is_published and (new.publish_at is not null or new.release is not null))
  execute function content.forget_schedule();
create or replace trigger keep_author_text before update of author, author_ids on content.article
  for each row when (new.author_ids <> '{}') execute function content.keep_author_text();
create or replace trigger refuse_new_id before update of id on content.article
  for each row when (old.id <> new.id) execute function content.refuse_new_id();

-- The last by its name, so that it sees what other triggers make of the row.
create or replace trigger zz_keep_revision before update on content.article
  for each row when (old.* is distinct from new.*) execute function content.keep_revision();

-- Changed: after it, for each article.

create or replace trigger announce_schedule_updated after update on content.article
  for each row when (
    case when new.is_published then new.unpublish_at else new.publish_at end
      is distinct from case when old.is_published then old.unpublish_at else old.publish_at end
  ) execute function content.announce_schedule();
create or replace trigger audit_planned after update on content.article for each row
  when (new.is_published = old.is_published and (new.publish_at, new.unpublish_at, new.release)
    is distinct from (old.publish_at, old.unpublish_at, old.release))
  execute function content.audit_row('article.planned', 'publish_at', 'unpublish_at', 'release');
create or replace trigger audit_published after update on content.article for each row
  when (new.is_published and not old.is_published)
  execute function content.audit_publication();
create or replace trigger audit_unpublished after update on content.article for each row
  when (old.is_published and not new.is_published)
  execute function content.audit_row('article.unpublished', 'slug');
create or replace trigger claim_slug after update of slug on content.article
  for each row when (old.slug <> new.slug) execute function content.claim_slug();

create or replace trigger keep_former_slug after update of slug on content.article
  for each row when (old.slug <> new.slug and old.is_published)
  execute function content.keep_former_slug();
create or replace trigger keep_media_updated after update of content, featured_image, social_image on content.article
  for each row when (
    (old.content, old.featured_image, old.social_image)
      is distinct from (new.content, new.featured_image, new.social_image)
    and (old.content like '%/media/%' or old.featured_image like '%/media/%' or old.social_image like '%/media/%'
      or new.content like '%/media/%' or new.featured_image like '%/media/%' or new.social_image like '%/media/%'))
  execute function content.keep_article_media();

-- Nobody knows the slug of an article that was never published, nor one with which, as the trail says, it
-- never was.
create or replace function content.keep_withdrawn_slug() returns trigger language plpgsql as $$
begin
  insert into content.former_slug (resource, slug, id)
    select 'article', old.slug, new.id from content.audit
    where article_id = new.id and action in ('article.published', 'article.unpublished')
    having count(*) = 0 or bool_or(detail ->> 'slug' = old.slug);
  -- As in content.claim_slug.
  if found then
    perform pg_notify('content_changed', 'redirects');
  end if;
  return null;
end
$$;

create or replace trigger keep_withdrawn_slug after update of slug on content.article
  for each row when (old.slug <> new.slug and not old.is_published and old.published_at is not null)
  execute function content.keep_withdrawn_slug();
create or replace trigger queue_updated_for_search after update on content.article
  for each row when (
    (old.title, old.excerpt, old.content, old.category_id, old.tag_ids, old.author_ids, old.series_id, old.extra,
        old.published_at)
      is distinct from
      (new.title, new.excerpt, new.content, new.category_id, new.tag_ids, new.author_ids, new.series_id, new.extra,
        new.published_at)
  ) execute function content.queue_for_search();

-- Every column that copies show is compared here; content comes last, because it is read only if all others
-- are the same.
create or replace trigger record_update after update on content.article
  for each row when (
    (old.is_published or new.is_published) and (
      old.updated_at, old.is_published, old.published_at, old.created_at, old.category_id, old.tag_ids, old.author_ids,
      old.title, old.slug, old.excerpt, old.featured_image, old.alt_text, old.author, old.meta_title,
      old.meta_description, old.canonical_url, old.social_title, old.social_description,
      old.social_image, old.extra, old.corrections, old.series_id, old.series_position, old.content
    ) is distinct from (
      new.updated_at, new.is_published, new.published_at, new.created_at, new.category_id, new.tag_ids, new.author_ids,
      new.title, new.slug, new.excerpt, new.featured_image, new.alt_text, new.author, new.meta_title,
      new.meta_description, new.canonical_url, new.social_title, new.social_description,
      new.social_image, new.extra, new.corrections, new.series_id, new.series_position, new.content
    )
  ) execute function content.record_change('article');

-- An approval is for the text that was approved.
create or replace function content.follow_review() returns trigger language plpgsql as $$
declare
  writer constant text := nullif(current_setting('pressroom.key', true), '');
  account constant text := nullif(current_setting('pressroom.account', true), '');
begin
  if new.is_published then
    delete from content.review where article_id = new.id;
    return null;
  end if;
  update content.review set
      state = 'submitted', changed_at = clock_timestamp(), changed_by = writer,
      steps = steps || jsonb_build_object(
        'state', 'submitted', 'comment', null, 'at', clock_timestamp(), 'key', writer, 'is_change', true)
    where article_id = new.id and state = 'approved'
      and coalesce(steps -> -1 ->> 'account' <> account, changed_by is distinct from writer);
  return null;
end
$$;

create or replace trigger review_updated after update on content.article
  for each row when (
    not old.is_published and (new.is_published or (
      old.title, old.excerpt, old.featured_image, old.alt_text, old.meta_title, old.meta_description,
      old.canonical_url, old.social_title, old.social_description,
      old.social_image, old.extra, old.corrections, old.content
    ) is distinct from (
      new.title, new.excerpt, new.featured_image, new.alt_text, new.meta_title, new.meta_description,
      new.canonical_url, new.social_title, new.social_description,
      new.social_image, new.extra, new.corrections, new.content
    ))
  ) execute function content.follow_review();

-- Changed: once for the statement.

create or replace trigger announce_updated after update on content.article
  referencing old table as removed new table as added for each statement execute function content.announce_articles();

create or replace trigger count_updated after update on content.article
  referencing old table as removed new table as added for each statement execute function content.count_article();

create or replace trigger keep_authors_updated after update on content.article
  referencing old table as removed new table as added
  for each statement execute function content.keep_article_authors();
create or replace trigger keep_tags_updated after update on content.article
  referencing old table as removed new table as added
  for each statement execute function content.keep_article_tags();

create or replace trigger note_updated after update on content.article
  referencing old table as removed new table as added for each statement execute function content.note_articles();

-- Deleted.

create or replace trigger audit_deleted after delete on content.article for each row
  execute function content.audit_row('article.deleted', 'slug', 'title', 'is_published');
create or replace trigger record_delete after delete on content.article
  for each row when (old.is_published) execute function content.record_change('article');
create or replace trigger announce_deleted after delete on content.article
  referencing old table as removed for each statement execute function content.announce_articles();

create or replace trigger count_deleted after delete on content.article
  referencing old table as removed for each statement execute function content.count_article();

create or replace trigger keep_deleted_articles after delete on content.article
  referencing old table as removed for each statement execute function content.keep_deleted_articles();
create or replace trigger note_deleted after delete on content.article
  referencing old table as removed for each statement execute function content.note_articles();

-- Truncated.

create or replace trigger record_truncation before truncate on content.article
  for each statement execute function content.record_truncation('is_published', 'article');
create or replace trigger announce_truncated after truncate on content.article
  for each statement execute function content.announce_change();
create or replace trigger audit_truncated after truncate on content.article
  for each statement execute function content.audit_truncation();
create or replace trigger count_truncated after truncate on content.article
  for each statement execute function content.count_nothing();
create or replace trigger forget_all_former_slugs after truncate on content.article
  for each statement execute function content.forget_former_slugs();
create or replace trigger forget_revisions after truncate on content.article
  for each statement execute function content.forget_revisions();
