-- The articles of each {term}, in `content.article_{term}`, by which their lists are read.

-- Keeps those of articles that change; `content.follow_inserted_articles` writes those of new ones. Articles
-- without {term}s have nothing to keep.
create or replace function content.keep_article_{term}s() returns trigger language plpgsql as $$
begin
  if exists (
    select from added where {term}_ids <> '{}' union all select from removed where {term}_ids <> '{}'
  ) then
    delete from content.article_{term} as kept using removed join added using (id)
      where kept.article_id = added.id and removed.{term}_ids <> added.{term}_ids
        and kept.{term}_id <> all (added.{term}_ids);
    insert into content.article_{term} as kept (article_id, {term}_id, is_published, published_at)
      select distinct added.id, {term}_id, added.is_published, added.published_at
      from added join removed using (id) cross join unnest(added.{term}_ids) as {term}_id
      where (added.{term}_ids, added.is_published, added.published_at)
        is distinct from (removed.{term}_ids, removed.is_published, removed.published_at)
      on conflict (article_id, {term}_id)
        do update set is_published = excluded.is_published, published_at = excluded.published_at
        where (kept.is_published, kept.published_at)
          is distinct from (excluded.is_published, excluded.published_at);
  end if;
  return null;
end
$$;

create or replace trigger count_inserted after insert on content.article_{term}
  referencing new table as added for each statement execute function content.count_article_{term}();
create or replace trigger count_updated after update on content.article_{term}
  referencing old table as removed new table as added
  for each statement execute function content.count_article_{term}();
create or replace trigger count_deleted after delete on content.article_{term}
  referencing old table as removed for each statement execute function content.count_article_{term}();
