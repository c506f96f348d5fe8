-- Articles become searchable after the commit that writes them, so that writing costs the same with searches;
-- also by the names of their tags and authors, and by whole words, which find rare ones.

drop trigger keep_search_insert on content.article;
drop trigger keep_search_update on content.article;
drop function content.keep_article_search, content.index_articles;

-- The runs of letters and digits of scripts that write spaces between words, and '' if one is too long to be
-- kept as a word.
create function pressroom.text_words(value text) returns text[] language sql immutable strict parallel safe cost 10000
as $$
  select coalesce(array_agg(distinct case when char_length(word) <= 40 then word else '' end collate "C"), '{}')
  from regexp_split_to_table(value collate "pg_unicode_fast", '([^[:alnum:]]|[\u2E80-\U0010FFFF])+') as word
  where char_length(word) >= 3
$$;

-- All words that articles have or had. Letters in a row are found in many articles that do not have a rare
-- word made of them; here it is found with the longer words that contain it, and by these its articles.
create table content.search_word (word text collate "C" primary key);
create index search_word_by_piece on content.search_word using gin (pressroom.text_pieces(word));
alter index content.search_word_by_piece alter column 1 set statistics 0;

-- Keeps the words of these articles, in an order in which no two processes wait for each other.
create function content.keep_search_words(article_ids integer[]) returns void language sql as $$
  insert into content.search_word (word)
  select distinct words.word
  from content.article_search cross join unnest(pressroom.text_words(head || ' ' || body)) as words (word)
  where article_id = any(article_ids) and words.word <> ''
    and not exists (select from content.search_word as known where known.word = words.word)
  order by words.word
  on conflict (word) do nothing
$$;

-- The pieces and words of an article, marked by what none begins with.
drop index content.article_search_by_piece;
drop function content.search_pieces;
create function content.search_terms(title text, head text, body text) returns text[]
language sql immutable strict parallel safe cost 10000 as $$
  select pressroom.text_pieces(head || ' ' || body)
    || array(select ' t' || piece from unnest(pressroom.text_pieces(title)) as piece)
    || array(select ' h' || piece from unnest(pressroom.text_pieces(head)) as piece)
    || array(select ' w' || word from unnest(pressroom.text_words(head || ' ' || body)) as word)
$$;

-- The head is the title, the excerpt and the names of the tags and authors. All articles become searchable
-- again in the background, the newest first.
truncate content.article_search;
create index article_search_by_term on content.article_search using gin (content.search_terms(title, head, body));
alter index content.article_search_by_term alter column 1 set statistics 0;

-- One row for each write of what is searched, so that no writer waits for another, or for the index. A tag or
-- author stands for its articles.
drop table content.unsearchable_article;
create table content.unsearchable_article (
  entry bigint generated always as identity primary key,
  article_id integer,
  tag_id integer,
  author_id integer,
  check (num_nonnulls(article_id, tag_id, author_id) = 1)
);
insert into content.unsearchable_article (article_id) select id from content.article order by id;

create function content.queue_for_search() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into content.unsearchable_article (article_id) select id from added order by id;
  else
    insert into content.unsearchable_article (article_id, tag_id, author_id) values (
      case tg_table_name when 'article' then new.id end,
      case tg_table_name when 'tag' then new.id end,
      case tg_table_name when 'author' then new.id end
    );
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
    (old.title, old.excerpt, old.content, old.tag_ids, old.author_ids, old.extra)
      is distinct from (new.title, new.excerpt, new.content, new.tag_ids, new.author_ids, new.extra)
  ) execute function content.queue_for_search();
create trigger queue_renamed_for_search after update of name on content.tag
  for each row when (old.name <> new.name) execute function content.queue_for_search();
create trigger queue_renamed_for_search after update of name on content.author
  for each row when (old.name <> new.name) execute function content.queue_for_search();

-- Makes an article searchable as it is now, and announces that cached searches may find it. The lock comes
-- before the article is read, so that of two processes the second has the newer text. `searched` are the
-- texts of `extra` that the schema of the service marks; no highlight shows them.
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
