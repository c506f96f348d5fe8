-- The search of articles. What a text is compared by is the same for articles as for news items.

-- See news.fold; plain ASCII and what is in NFKC already is not normalized again.
create function pressroom.fold(value text) returns text language sql immutable strict parallel safe as $$
  select casefold(
    case when octet_length(value) = char_length(value) or value is nfkc normalized then value else normalize(value, NFKC) end
    collate "pg_unicode_fast"
  ) collate "C"
$$;

-- See news.text_pieces. No piece has a space, so those of the distinct words are all.
create function pressroom.text_pieces(value text) returns text[] language sql immutable strict parallel safe cost 10000
as $$
  select coalesce(array_agg(piece) filter (where piece is not null), '{}') from (
    select distinct case
      when ascii(letter) >= 11904 or ascii(second) >= 11904 then letter || second
      when ascii(third) < 11904 then letter || second || third
    end collate "C" as piece
    from (select distinct word from string_to_table(value, ' ') as word) as words
    cross join lateral string_to_array(word, null) as letters
    cross join lateral unnest(letters, letters[2:], letters[3:]) as p (letter, second, third)
  ) as pieces
$$;

-- Not as text between quotes: pg_dump must know what they call, and restore that first.
create or replace function news.fold(value text) returns text language sql immutable strict parallel safe
return pressroom.fold(value);
create or replace function news.text_pieces(value text) returns text[] language sql immutable strict parallel safe
return pressroom.text_pieces(value);

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
  foreach hidden in array array['desc', 'iframe', 'noscript', 'script', 'style', 'template', 'title'] loop
    if strpos(lower(value), '<' || hidden) > 0 then
      value := regexp_replace(value, '<' || hidden || '\M.*?</' || hidden || '\s*>', ' ', 'gi');
    end if;
  end loop;
  value := left(regexp_replace(regexp_replace(value, inline, '', 'gi'), '</?[a-z!?][^>]*>', ' ', 'gi'), most);
  if strpos(value, '&') > 0 then
    value := content.unescape_html(value);
  end if;
  return btrim(regexp_replace(value, '\s+', ' ', 'g'));
end
$$;

-- What searches compare: folded, except the text from which fragments are shown.
create table content.article_search (
  article_id integer primary key references content.article on delete cascade,
  title text collate "C" not null,
  -- The title and the excerpt.
  head text collate "C" not null,
  body text collate "C" not null,
  plain text not null
-- Few columns stay in the row, so that many candidates are on a page.
) with (toast_tuple_target = 128);

-- The pieces of all that is searched, and again of the title and of the head alone, marked by what no piece
-- begins with.
create function content.search_pieces(title text, head text, body text) returns text[]
language sql immutable strict parallel safe cost 10000 as $$
  select pressroom.text_pieces(head || ' ' || body)
    || array(select ' t' || piece from unnest(pressroom.text_pieces(title)) as piece)
    || array(select ' h' || piece from unnest(pressroom.text_pieces(head)) as piece)
$$;

create index article_search_by_piece on content.article_search using gin (content.search_pieces(title, head, body));
-- To sample them would take longer than all else that ANALYZE does.
alter index content.article_search_by_piece alter column 1 set statistics 0;

-- Keeps what is searched of articles that have just been written.
create function content.keep_article_search() returns trigger language plpgsql as $$
begin
  insert into content.article_search as kept (article_id, title, head, body, plain)
  select new.id, pressroom.fold(new.title), pressroom.fold(new.title || E'\n' || coalesce(new.excerpt, '')),
    pressroom.fold(plain), plain
  from content.text_of_html(new.content) as plain
  on conflict (article_id) do update
    set title = excluded.title, head = excluded.head, body = excluded.body, plain = excluded.plain;
  return null;
end
$$;

create trigger keep_search_insert after insert on content.article
  for each row execute function content.keep_article_search();
create trigger keep_search_update after update on content.article
  for each row when (
    (old.title, old.excerpt, old.content) is distinct from (new.title, new.excerpt, new.content)
  ) execute function content.keep_article_search();

-- The articles that were there before: the service makes them searchable in the background, the newest first.
-- `content reindex` adds all.
create table content.unsearchable_article (article_id integer primary key);
insert into content.unsearchable_article (article_id) select id from content.article;

-- Makes these of them searchable.
create function content.index_articles(ids integer[]) returns void language plpgsql as $$
begin
  delete from content.unsearchable_article where article_id = any(ids);
  insert into content.article_search as kept (article_id, title, head, body, plain)
  select id, pressroom.fold(title), pressroom.fold(title || E'\n' || coalesce(excerpt, '')), pressroom.fold(plain), plain
  from (select * from content.article where id = any(ids) for no key update) as locked
  cross join lateral content.text_of_html(content) as plain
  on conflict (article_id) do update
    set title = excluded.title, head = excluded.head, body = excluded.body, plain = excluded.plain
    where (kept.title, kept.head, kept.body, kept.plain)
      is distinct from (excluded.title, excluded.head, excluded.body, excluded.plain);
  if found then
    -- Any search may find them now.
    perform pg_notify('content_changed', '');
  end if;
end
$$;
