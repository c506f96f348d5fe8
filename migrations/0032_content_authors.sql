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

-- Keeps article_tag and article_author alike. Articles without tags or authors have nothing to keep there.
do $do$
declare
  kind text;
begin
  foreach kind in array array['tag', 'author'] loop
    execute format($keep$
      create or replace function content.keep_article_%1$ss() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          if exists (select from added where %1$s_ids <> '{}') then
            insert into content.article_%1$s (article_id, %1$s_id, is_published, published_at)
              select distinct id, %1$s_id, is_published, published_at from added cross join unnest(%1$s_ids) as %1$s_id;
          end if;
        elsif exists (
          select from added where %1$s_ids <> '{}' union all select from removed where %1$s_ids <> '{}'
        ) then
          delete from content.article_%1$s as kept using removed join added using (id)
            where kept.article_id = added.id and removed.%1$s_ids <> added.%1$s_ids
              and kept.%1$s_id <> all (added.%1$s_ids);
          insert into content.article_%1$s as kept (article_id, %1$s_id, is_published, published_at)
            select distinct added.id, %1$s_id, added.is_published, added.published_at
            from added join removed using (id) cross join unnest(added.%1$s_ids) as %1$s_id
            where (added.%1$s_ids, added.is_published, added.published_at)
              is distinct from (removed.%1$s_ids, removed.is_published, removed.published_at)
            on conflict (article_id, %1$s_id)
              do update set is_published = excluded.is_published, published_at = excluded.published_at
              where (kept.is_published, kept.published_at)
                is distinct from (excluded.is_published, excluded.published_at);
        end if;
        return null;
      end
      $$;
      create or replace trigger keep_%1$ss_inserted after insert on content.article
        referencing new table as added for each statement execute function content.keep_article_%1$ss();
      create or replace trigger keep_%1$ss_updated after update on content.article
        referencing old table as removed new table as added
        for each statement execute function content.keep_article_%1$ss();
    $keep$, kind);
  end loop;
end
$do$;
