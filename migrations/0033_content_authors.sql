-- Authors: an article has any number of them, in the order in which they were given.

create table content.author (
  id integer generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 100),
  slug text not null constraint author_slug_key unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  bio text check (char_length(bio) <= 2000),
  picture text check (char_length(picture) <= 500),
  -- [{"label"?, "url"}]
  links jsonb not null default '[]' check (jsonb_typeof(links) = 'array'),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp()
);

create index author_by_name on content.author (name, id);

create trigger lock_slugs before insert or update of slug on content.author
  for each statement execute function content.lock_slugs();
create trigger refuse_former_slugs after insert on content.author
  referencing new table as added for each statement execute function content.refuse_former_slugs();
create trigger claim_slug after update of slug on content.author
  for each row when (old.slug <> new.slug) execute function content.claim_slug();
create trigger keep_former_slug after update of slug on content.author
  for each row when (old.slug <> new.slug) execute function content.keep_former_slug();
create trigger forget_former_slugs after delete on content.author
  referencing old table as removed for each statement execute function content.forget_former_slugs();
create trigger forget_all_former_slugs after truncate on content.author
  for each statement execute function content.forget_former_slugs();
create trigger announce_change after insert or update or delete or truncate on content.author
  for each statement execute function content.announce_change();
create trigger forget_counts after delete on content.author
  for each row execute function content.forget_counts('author');

-- Like tag_ids. Where there are any, their names are what the article's author is read as, so a new name
-- writes no article.
alter table content.article add column author_ids integer[] not null default '{}';

-- The names of these authors in this order, joined; null for none.
create function content.author_names(ids integer[]) returns text language sql stable parallel safe as $$
  select string_agg(author.name, ', ' order by place)
  from unnest(ids) with ordinality as given (id, place) join content.author as author using (id)
$$;

-- The text that such an article is found by (`author=`), and keeps when its authors are taken from it: the
-- names as they were when its authors were written.
create function content.keep_author_text() returns trigger language plpgsql as $$
begin
  new.author := left(coalesce(content.author_names(new.author_ids), new.author), 255);
  return new;
end
$$;

create trigger keep_author_text before insert or update of author, author_ids on content.article
  for each row when (new.author_ids <> '{}') execute function content.keep_author_text();

-- Like article_tag.
create table content.article_author (
  article_id integer not null references content.article on delete cascade,
  author_id integer not null constraint article_author_author_id_fkey references content.author,
  is_published boolean not null,
  published_at timestamptz(3),
  primary key (article_id, author_id)
);

create index article_author_by_author
  on content.article_author (author_id, is_published, published_at desc, article_id desc);

create trigger count_inserted after insert on content.article_author referencing new table as added
  for each statement execute function content.count_articles($$('author', author_id)$$);
create trigger count_updated after update on content.article_author
  referencing old table as removed new table as added
  for each statement execute function content.count_articles($$('author', author_id)$$);
create trigger count_deleted after delete on content.article_author referencing old table as removed
  for each statement execute function content.count_articles($$('author', author_id)$$);

-- In place of content.keep_article_tags: keeps both tables. Articles without tags and authors have nothing to
-- keep.
create function content.keep_article_terms() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from added where tag_ids <> '{}') then
      insert into content.article_tag (article_id, tag_id, is_published, published_at)
        select distinct id, tag_id, is_published, published_at from added cross join unnest(tag_ids) as tag_id;
    end if;
    if exists (select from added where author_ids <> '{}') then
      insert into content.article_author (article_id, author_id, is_published, published_at)
        select distinct id, author_id, is_published, published_at
        from added cross join unnest(author_ids) as author_id;
    end if;
    return null;
  end if;

  if exists (select from added where tag_ids <> '{}' union all select from removed where tag_ids <> '{}') then
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
  end if;
  if exists (select from added where author_ids <> '{}' union all select from removed where author_ids <> '{}') then
    delete from content.article_author as kept using removed join added using (id)
      where kept.article_id = added.id and removed.author_ids <> added.author_ids
        and kept.author_id <> all (added.author_ids);
    insert into content.article_author as kept (article_id, author_id, is_published, published_at)
      select distinct added.id, author_id, added.is_published, added.published_at
      from added join removed using (id) cross join unnest(added.author_ids) as author_id
      where (added.author_ids, added.is_published, added.published_at)
        is distinct from (removed.author_ids, removed.is_published, removed.published_at)
      on conflict (article_id, author_id)
        do update set is_published = excluded.is_published, published_at = excluded.published_at
        where (kept.is_published, kept.published_at) is distinct from (excluded.is_published, excluded.published_at);
  end if;
  return null;
end
$$;

drop trigger keep_tags_inserted on content.article;
drop trigger keep_tags_updated on content.article;
drop function content.keep_article_tags;
create trigger keep_terms_inserted after insert on content.article
  referencing new table as added for each statement execute function content.keep_article_terms();
create trigger keep_terms_updated after update on content.article
  referencing old table as removed new table as added for each statement execute function content.keep_article_terms();

-- What is copied (0032): all authors, and of an article also who they are.
call content.record_all('content.author', 'author');
drop trigger record_update on content.article;
create trigger record_update after update on content.article
  for each row when (
    (old.is_published or new.is_published) and (
      old.updated_at, old.is_published, old.published_at, old.created_at, old.category_id, old.tag_ids, old.author_ids,
      old.title, old.slug, old.excerpt, old.featured_image, old.alt_text, old.author, old.meta_title,
      old.meta_description, old.canonical_url, old.content
    ) is distinct from (
      new.updated_at, new.is_published, new.published_at, new.created_at, new.category_id, new.tag_ids, new.author_ids,
      new.title, new.slug, new.excerpt, new.featured_image, new.alt_text, new.author, new.meta_title,
      new.meta_description, new.canonical_url, new.content
    )
  ) execute function content.record_change('article');
