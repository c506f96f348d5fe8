-- What a site needs of an article besides its members.

alter table content.article add column extra jsonb;
-- Not valid: there is nothing yet to look through while the table is locked.
alter table content.article
  add constraint article_extra_check check (jsonb_typeof(extra) = 'object') not valid;

-- Every column that copies show is compared (0033).
drop trigger record_update on content.article;
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

drop trigger queue_updated_for_search on content.article;
create trigger queue_updated_for_search after update on content.article
  for each row when (
    (old.title, old.excerpt, old.content, old.tag_ids, old.author_ids, old.extra)
      is distinct from (new.title, new.excerpt, new.content, new.tag_ids, new.author_ids, new.extra)
  ) execute function content.queue_for_search();

-- As before (0035), with the texts of `extra` that the schema of the service marks; no highlight shows them.
drop function content.index_article(integer);
create function content.index_article(indexed integer, searched text default null) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock('content.article_search'::regclass::oid::integer, indexed);
  -- If the server fails, it is taken from the queue again.
  perform set_config('synchronous_commit', 'off', true);
  insert into content.article_search as kept (article_id, title, head, body, plain)
  select id, pressroom.fold(title), pressroom.fold(concat_ws(E'\n', title, excerpt, (
      select string_agg(tag.name, E'\n' order by place)
      from unnest(tag_ids) with ordinality as given (tag_id, place) join content.tag as tag on tag.id = given.tag_id
    ), content.author_names(author_ids))), pressroom.fold(concat_ws(E'\n', plain, nullif(searched, ''))), plain
  from content.article cross join lateral content.text_of_html(content) as plain
  where id = indexed
  on conflict (article_id) do update
    set title = excluded.title, head = excluded.head, body = excluded.body, plain = excluded.plain
    where (kept.title, kept.head, kept.body, kept.plain)
      is distinct from (excluded.title, excluded.head, excluded.body, excluded.plain);
  if found then
    perform pg_notify('content_changed', 'searches') from content.article where id = indexed and is_published;
  end if;
exception when foreign_key_violation then
  -- It has been deleted meanwhile.
  null;
end
$$;
