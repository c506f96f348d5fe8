-- The search of articles, which become searchable after the commit that writes them.

-- The text of an article without tags, comments and hidden parts. Tags within a line divide no word. A longer
-- text is cut, so that any article is soon searchable.
create or replace function content.text_without_tags(html text) returns text language plpgsql immutable strict parallel safe as $$
declare
  most constant integer := 200000;
  inline constant text :=
    '</?(a|abbr|b|bdi|bdo|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|q|rb|ruby|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr)(\s[^>]*)?/?>';
  value text := html;
  hidden text;
begin
  if strpos(value, '<!--') > 0 then
    value := regexp_replace(value, '<!--.*?-->', '', 'g');
  end if;
  if value ~* '<(desc|iframe|noscript|script|style|template|title)' then
    foreach hidden in array array['desc', 'iframe', 'noscript', 'script', 'style', 'template', 'title'] loop
      if strpos(lower(value), '<' || hidden) > 0 then
        value := regexp_replace(value, '<' || hidden || '\M.*?</' || hidden || '\s*>', ' ', 'gi');
      end if;
    end loop;
  end if;
  return left(regexp_replace(regexp_replace(value, inline, '', 'gi'), '</?[a-z!?][^>]*>', ' ', 'gi'), most);
end
$$;

-- Keeps the words of these articles, in an order in which no two processes wait for each other.
create or replace function content.keep_search_words(article_ids integer[]) returns void language sql as $$
  insert into content.search_word (word)
  select distinct words.word
  from content.article_search cross join unnest(pressroom.text_words(head || ' ' || body)) as words (word)
  where article_id = any(article_ids) and words.word <> ''
    and not exists (select from content.search_word as known where known.word = words.word)
  order by words.word
  on conflict (word) do nothing
$$;

create or replace function content.queue_for_search() returns trigger language plpgsql as $$
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

-- Search reads only the name of a tag or author; articles/articles.sql queues articles.
create or replace trigger queue_renamed_for_search after update of name on content.tag
  for each row when (old.name <> new.name) execute function content.queue_for_search();
create or replace trigger queue_renamed_for_search after update of name on content.author
  for each row when (old.name <> new.name) execute function content.queue_for_search();

-- The list of the articles of a month, in UTC. Drafts have no day, and count as newest.
create or replace function content.month_list(day date) returns text language sql immutable as $$
  select 'month:' || case when isfinite(day) then to_char(day, 'YYYY-MM') else 'none' end
$$;

-- The lists of drafts, and of the last months in which so many articles were published together.
create or replace function content.last_months(articles bigint) returns text[] language sql stable as $$
  select content.month_list(null) || array_agg(content.month_list(since)) from (
    select since, sum(month.articles) over (order by since desc) - month.articles as later
    from (
      select since, sum(articles)::bigint as articles from content.list_count
      where kind = 'all' and id = 0 and period = 'month' and isfinite(since) group by since
    ) as month
  ) as counted where later < last_months.articles
$$;

-- Makes an article searchable by these texts, and announces that cached searches may find it. The caller has
-- its lock since before it read the article, so that of two processes the second has the newer text.
create or replace function content.make_searchable(
  indexed integer, title text, head text, body text, plain text, forms text, folding integer
) returns void language plpgsql as $$
begin
  -- If the server fails, it is taken from the queue again.
  perform set_config('synchronous_commit', 'off', true);
  insert into content.article_search as kept (article_id, title, head, body, plain, forms, folding, lists)
  select id, make_searchable.title, head, body, plain, forms, folding,
    array(
      select content.month_list(content.publication_day(published_at))
      union all select 'category:' || category_id where category_id is not null
      union all select 'tag:' || tag_id from unnest(tag_ids) as tag_id
      union all select 'author:' || author_id from unnest(author_ids) as author_id
      union all select 'series:' || series_id where series_id is not null
    )
  from content.article where id = indexed
  on conflict (article_id) do update
    set title = excluded.title, head = excluded.head, body = excluded.body, plain = excluded.plain,
      forms = excluded.forms, folding = excluded.folding, lists = excluded.lists
    where (kept.title, kept.head, kept.body, kept.plain, kept.forms, kept.folding, kept.lists) is distinct from
      (excluded.title, excluded.head, excluded.body, excluded.plain, excluded.forms, excluded.folding, excluded.lists);
  if found then
    perform pg_notify('content_changed', 'searches') from content.article where id = indexed and is_published;
  end if;
exception when foreign_key_violation then
  -- It has been deleted meanwhile.
  null;
end
$$;

-- Processes of the release before this one call it where they run beside it. Its folding is 0, so the others
-- make the article searchable anew.
create or replace function content.index_article(indexed integer, searched text default null) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock('content.article_search'::regclass::oid::integer, indexed);
  perform content.make_searchable(id, pressroom.fold(title), pressroom.fold(concat_ws(E'\n', title, excerpt, (
      select string_agg(tag.name, E'\n' order by place)
      from unnest(tag_ids) with ordinality as given (tag_id, place) join content.tag as tag on tag.id = given.tag_id
    ), content.author_names(author_ids))), pressroom.fold(concat_ws(E'\n', plain, nullif(searched, ''))), plain, '', 0)
  from content.article cross join lateral content.text_without_tags(content) as plain
  where id = indexed;
end
$$;
