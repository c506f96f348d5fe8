-- A change of one article made replicas drop every cached answer, so a site whose editors write often read
-- most of its pages from the database again and again. Now the notification names what has changed: the
-- article, its categories before and after, and "articles" for the lists. An empty notification still means
-- everything. Replacing triggers waits for running writers and holds new ones back for a moment.

create function content.announce_articles() returns trigger language plpgsql as $$
declare
  -- A notification holds 8000 bytes.
  most constant integer := 7000;
  subjects text;
begin
  -- Only what was or is published can be in a cached answer.
  if tg_op = 'INSERT' then
    select string_agg(distinct subject, ' ') into subjects from added as article
      cross join lateral content.subjects_of(article.id, article.category_id) as subject
      where article.is_published;
  elsif tg_op = 'DELETE' then
    select string_agg(distinct subject, ' ') into subjects from removed as article
      cross join lateral content.subjects_of(article.id, article.category_id) as subject
      where article.is_published;
  else
    select string_agg(distinct subject, ' ') into subjects from (
        select id, category_id from removed where is_published
        union all
        select id, category_id from added where is_published
      ) as article
      cross join lateral content.subjects_of(article.id, article.category_id) as subject;
  end if;
  if subjects is not null then
    perform pg_notify('content_changed', case when octet_length(subjects) > most then '' else subjects end);
  end if;
  return null;
end
$$;

-- What an answer that shows this article may depend on.
create function content.subjects_of(id integer, category_id integer) returns setof text language sql immutable as $$
  values ('articles'), ('article:' || id), ('category:' || category_id)
$$;

drop trigger announce_change on content.article;
create trigger announce_inserted after insert on content.article
  referencing new table as added for each statement execute function content.announce_articles();
create trigger announce_updated after update on content.article
  referencing old table as removed new table as added for each statement execute function content.announce_articles();
create trigger announce_deleted after delete on content.article
  referencing old table as removed for each statement execute function content.announce_articles();
create trigger announce_truncated after truncate on content.article
  for each statement execute function content.announce_change();
