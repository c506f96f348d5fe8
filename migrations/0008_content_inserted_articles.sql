-- What an article brings along when it is created, of all the subjects before: PostgreSQL compiles the
-- condition of every trigger anew for each statement, and most would find nothing to do for most articles. So
-- one trigger before the articles and one after them do it all.

create function content.prepare_inserted_article() returns trigger language plpgsql as $$
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

create trigger prepare_inserted before insert on content.article
  for each row when (
    new.author_ids <> '{}' or (new.is_published and (new.publish_at is not null or new.release is not null))
  ) execute function content.prepare_inserted_article();

create function content.follow_inserted_articles() returns trigger language plpgsql as $$
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
          or content like '%/media/%' or featured_image like '%/media/%'
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
    -- An import tells of itself once, not of each article.
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
  -- Before slugs are refused: those of what is replaced are free again.
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
      select id, path from added cross join content.media_in(featured_image, content) as path
      where content like '%/media/%' or featured_image like '%/media/%';
  end if;
  if has_hooks then
    perform content.add_article_events(null, (id, slug, category_id, tag_ids, author_ids, is_published)::content.article_state)
      from added order by id;
  end if;
  return null;
end
$$;

create trigger follow_inserted after insert on content.article referencing new table as added
  for each statement execute function content.follow_inserted_articles();
