-- Articles become searchable after the commit that writes them, so that writing costs the same with searches.

drop trigger keep_search_insert on content.article;
drop trigger keep_search_update on content.article;
drop function content.keep_article_search, content.index_articles;

-- One row for each write of what is searched, so that no writer waits for another, or for the index.
alter table content.unsearchable_article
  drop constraint unsearchable_article_pkey,
  add column entry bigint generated always as identity primary key;

create function content.queue_for_search() returns trigger language plpgsql as $$
begin
  if tg_level = 'ROW' then
    insert into content.unsearchable_article (article_id) values (new.id);
  else
    insert into content.unsearchable_article (article_id) select id from added order by id;
  end if;
  if found then
    -- Not content_changed: no cached answer has changed yet.
    perform pg_notify('content_unsearchable', '');
  end if;
  return null;
end
$$;

create trigger queue_inserted_for_search after insert on content.article
  referencing new table as added for each statement execute function content.queue_for_search();
create trigger queue_updated_for_search after update on content.article
  for each row when (
    (old.title, old.excerpt, old.content) is distinct from (new.title, new.excerpt, new.content)
  ) execute function content.queue_for_search();

-- Makes an article searchable as it is now, and announces that cached searches may find it. The lock comes
-- before the article is read, so that of two processes the second has the newer text.
create function content.index_article(indexed integer) returns void language plpgsql as $$
declare
  is_public boolean;
begin
  perform pg_advisory_xact_lock('content.article_search'::regclass::oid::integer, indexed);
  -- If the server fails, it is taken from the queue again.
  perform set_config('synchronous_commit', 'off', true);
  insert into content.article_search as kept (article_id, title, head, body, plain)
  select id, pressroom.fold(title), pressroom.fold(title || E'\n' || coalesce(excerpt, '')), pressroom.fold(plain), plain
  from content.article cross join lateral content.text_of_html(content) as plain
  where id = indexed
  on conflict (article_id) do update
    set title = excluded.title, head = excluded.head, body = excluded.body, plain = excluded.plain
    where (kept.title, kept.head, kept.body, kept.plain)
      is distinct from (excluded.title, excluded.head, excluded.body, excluded.plain);
  if found then
    select is_published into is_public from content.article where id = indexed;
    if is_public then
      perform pg_notify('content_changed', 'searches');
    end if;
  end if;
exception when foreign_key_violation then
  -- It has been deleted meanwhile.
  null;
end
$$;
