-- A search within a category, a tag or an author finds in the index what has its words and is in that list.
-- Until now it read all articles that have a common word, for the few of them in the list.

-- All articles become searchable again in the background, the newest first.
truncate content.article_search;
-- The lists that the article is in, by their kinds and ids in content.list_count.
alter table content.article_search add column lists text[] collate "C" not null;
drop index content.article_search_by_term;
create index article_search_by_term on content.article_search
  using gin (content.search_terms(title, head, body), lists);
-- To sample them would take longer than all else that ANALYZE does.
alter index content.article_search_by_term alter column 1 set statistics 0;
insert into content.unsearchable_article (article_id) select id from content.article order by id;

drop trigger queue_updated_for_search on content.article;
create trigger queue_updated_for_search after update on content.article
  for each row when (
    (old.title, old.excerpt, old.content, old.category_id, old.tag_ids, old.author_ids, old.extra)
      is distinct from
      (new.title, new.excerpt, new.content, new.category_id, new.tag_ids, new.author_ids, new.extra)
  ) execute function content.queue_for_search();

create or replace function content.index_article(indexed integer, searched text default null) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock('content.article_search'::regclass::oid::integer, indexed);
  -- If the server fails, it is taken from the queue again.
  perform set_config('synchronous_commit', 'off', true);
  insert into content.article_search as kept (article_id, title, head, body, plain, lists)
  select id, pressroom.fold(title), pressroom.fold(concat_ws(E'\n', title, excerpt, (
      select string_agg(tag.name, E'\n' order by place)
      from unnest(tag_ids) with ordinality as given (tag_id, place) join content.tag as tag on tag.id = given.tag_id
    ), content.author_names(author_ids))), pressroom.fold(concat_ws(E'\n', plain, nullif(searched, ''))), plain,
    array(
      select 'category:' || category_id where category_id is not null
      union all select 'tag:' || tag_id from unnest(tag_ids) as tag_id
      union all select 'author:' || author_id from unnest(author_ids) as author_id
    )
  from content.article cross join lateral content.text_of_html(content) as plain
  where id = indexed
  on conflict (article_id) do update
    set title = excluded.title, head = excluded.head, body = excluded.body, plain = excluded.plain, lists = excluded.lists
    where (kept.title, kept.head, kept.body, kept.plain, kept.lists)
      is distinct from (excluded.title, excluded.head, excluded.body, excluded.plain, excluded.lists);
  if found then
    perform pg_notify('content_changed', 'searches') from content.article where id = indexed and is_published;
  end if;
exception when foreign_key_violation then
  -- It has been deleted meanwhile.
  null;
end
$$;
