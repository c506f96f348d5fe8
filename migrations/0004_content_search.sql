-- The search of articles, which become searchable after the commit that writes them, so that writing costs
-- the same with searches.

-- What texts are compared by, of articles and of news items: case-folded in every script, with full-width
-- letters as ordinary ones (NFKC). Plain ASCII and what is in NFKC already is not normalized again.
create function pressroom.fold(value text) returns text language sql immutable strict parallel safe as $$
  select casefold(
    case when octet_length(value) = char_length(value) or value is nfkc normalized then value else normalize(value, NFKC) end
    collate "pg_unicode_fast"
  ) collate "C"
$$;

-- The words between spaces, each once: a text repeats most of them, and they are looked into for its terms.
create function pressroom.distinct_words(value text) returns text language sql immutable strict parallel safe cost 1000
as $$
  select string_agg(word, ' ') from (select distinct word from string_to_table(value, ' ') as word) as words
$$;

-- The pieces by which a text is found: three letters of an alphabet in a row, or two characters of which one
-- is of a script without spaces (U+2E80 and above: Chinese, Japanese, Korean). A word has no piece that a
-- text with the word lacks, so what lacks one of them need not be read. Trigrams of an extension cannot find
-- two Chinese characters. No piece has a space, so those of the distinct words are all; between two words the
-- letter is null.
create function pressroom.text_pieces(value text) returns text[] language sql immutable strict parallel safe cost 10000
as $$
  select coalesce(array_agg(piece) filter (where piece is not null), '{}') from (
    select distinct case
      when ascii(letter) >= 11904 or ascii(second) >= 11904 then letter || second
      when ascii(third) < 11904 then letter || second || third
    end collate "C" as piece
    from string_to_array(pressroom.distinct_words(value), null, ' ') as letters
    cross join lateral unnest(letters, letters[2:], letters[3:]) as p (letter, second, third)
  ) as pieces
$$;

-- The runs of letters and digits of scripts that write spaces between words, and '' if one is too long to be
-- kept as a word.
create function pressroom.text_words(value text) returns text[] language sql immutable strict parallel safe cost 10000
as $$
  select coalesce(array_agg(distinct case when char_length(word) <= 40 then word else '' end collate "C"), '{}')
  from regexp_split_to_table(
    pressroom.distinct_words(value) collate "pg_unicode_fast", '([^[:alnum:]]|[\u2E80-\U0010FFFF])+') as word
  where char_length(word) >= 3
$$;

-- The characters that an HTML text writes as references: the numeric ones, and the names that publishers use.
create function content.unescape_html(value text) returns text language sql immutable strict parallel safe as $$
  select coalesce(string_agg(
    case
      when place = 1 then part
      when number between 1 and 55295 or number between 57344 and 1114111 then chr(number) || rest
      when name is not null then name || rest
      else '&' || part
    end, '' order by place), '')
  from string_to_table(value, '&') with ordinality as parts (part, place)
  cross join lateral (
    select substr(part, strpos(part, ';') + 1) as rest,
      case
        when part ~* '^#x[0-9a-f]{1,6};' then ('x' || lpad(substring(part from '^#[xX]([^;]*);'), 8, '0'))::bit(32)::integer
        when part ~ '^#[0-9]{1,7};' then substring(part from '^#([^;]*);')::integer
      end as number,
      case substring(part from '^([A-Za-z]{2,6});')
        when 'amp' then '&' when 'lt' then '<' when 'gt' then '>' when 'quot' then '"' when 'apos' then ''''
        when 'nbsp' then ' ' when 'shy' then '' when 'hellip' then '…' when 'ndash' then '–' when 'mdash' then '—'
        when 'lsquo' then '‘' when 'rsquo' then '’' when 'ldquo' then '“' when 'rdquo' then '”'
        when 'laquo' then '«' when 'raquo' then '»' when 'middot' then '·' when 'copy' then '©' when 'euro' then '€'
      end as name
  ) as reference
$$;

-- The text of an article without tags, comments and what no reader sees. Tags within a line divide no
-- word. Of a longer text only the beginning, so that whatever may be written is soon searchable.
create function content.text_of_html(html text) returns text language plpgsql immutable strict parallel safe as $$
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
  value := left(regexp_replace(regexp_replace(value, inline, '', 'gi'), '</?[a-z!?][^>]*>', ' ', 'gi'), most);
  if strpos(value, '&') > 0 then
    value := content.unescape_html(value);
  end if;
  -- A space alone is not replaced by one.
  return btrim(regexp_replace(value, '\s\s+|[^ \S]', ' ', 'g'));
end
$$;

-- What searches compare: folded, except the text from which fragments are shown. The head is kept in the row,
-- since a search looks at the head of each article that it looks through; long texts stay apart.
create table content.article_search (
  article_id integer primary key references content.article on delete cascade,
  title text collate "C" not null,
  -- The title, the excerpt and the names of the tags and authors.
  head text collate "C" not null,
  body text collate "C" not null,
  plain text not null,
  -- The lists that the article is in, by their kinds and ids in content.list_count, and its month: a search
  -- finds in the index what has its words and is in a list, or was published in the last months.
  lists text[] collate "C" not null
);

-- The pieces and words of an article, and the pieces of its title and head alone, marked by what none begins
-- with.
create function content.search_terms(title text, head text, body text) returns text[]
language sql immutable strict parallel safe cost 10000 as $$
  select pressroom.text_pieces(head || ' ' || body)
    || array(select ' t' || piece from unnest(pressroom.text_pieces(title)) as piece)
    || array(select ' h' || piece from unnest(pressroom.text_pieces(head)) as piece)
    || array(select ' w' || word from unnest(pressroom.text_words(head || ' ' || body)) as word)
$$;

create index article_search_by_term on content.article_search
  using gin (content.search_terms(title, head, body), lists);
-- To sample them would take longer than all else that ANALYZE does.
alter index content.article_search_by_term alter column 1 set statistics 0;

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

-- The queue: one row for each write of what is searched, so that no writer waits for another, or for the
-- index. A tag or author stands for its articles.
create table content.unsearchable_article (
  entry bigint generated always as identity primary key,
  article_id integer,
  tag_id integer,
  author_id integer,
  check (num_nonnulls(article_id, tag_id, author_id) = 1)
);

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
    (old.title, old.excerpt, old.content, old.category_id, old.tag_ids, old.author_ids, old.extra, old.published_at)
      is distinct from
      (new.title, new.excerpt, new.content, new.category_id, new.tag_ids, new.author_ids, new.extra, new.published_at)
  ) execute function content.queue_for_search();
create trigger queue_renamed_for_search after update of name on content.tag
  for each row when (old.name <> new.name) execute function content.queue_for_search();
create trigger queue_renamed_for_search after update of name on content.author
  for each row when (old.name <> new.name) execute function content.queue_for_search();

-- The list of the articles of a month, in UTC. Drafts have no day, and count as newest.
create function content.month_list(day date) returns text language sql immutable as $$
  select 'month:' || case when isfinite(day) then to_char(day, 'YYYY-MM') else 'none' end
$$;

-- The lists of drafts, and of the last months in which so many articles were published together.
create function content.last_months(articles bigint) returns text[] language sql stable as $$
  select content.month_list(null) || array_agg(content.month_list(since)) from (
    select since, sum(month.articles) over (order by since desc) - month.articles as later
    from (
      select since, sum(articles)::bigint as articles from content.list_count
      where kind = 'all' and id = 0 and period = 'month' and isfinite(since) group by since
    ) as month
  ) as counted where later < last_months.articles
$$;

-- Makes an article searchable as it is now, and announces that cached searches may find it. The lock comes
-- before the article is read, so that of two processes the second has the newer text. `searched` are the
-- texts of `extra` that the schema of the service marks; no highlight shows them.
create function content.index_article(indexed integer, searched text default null) returns void language plpgsql as $$
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
      select content.month_list(content.publication_day(published_at))
      union all select 'category:' || category_id where category_id is not null
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
