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

-- The queue: one row for each write of what is searched, so that no writer waits for another, or for the
-- index. A tag or author stands for its articles.
create table content.unsearchable_article (
  entry bigint generated always as identity primary key,
  article_id integer,
  tag_id integer,
  author_id integer,
  check (num_nonnulls(article_id, tag_id, author_id) = 1)
);

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: a0379f160a9cf96d08cc0d5f035eff27ecb3e1fea514e27278c45cac49cc1d8f
