import { Failure } from '@pressroom/common/failures/failure';
import { hasPieces, type SearchGate } from '@pressroom/common/search/search';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Page, Total } from '../envelope.ts';
import type { ContentTables } from '../tables.ts';
import { type FilterValues, filterOf, filtersOf } from './filters.ts';
import { type ArticleScope, countFilter, planList } from './list.ts';
import {
  columnsOf,
  MOST_SEEN as FIRST,
  type ListShape,
  listRows,
  MOST_COUNTED,
  membersOf,
  selectItems,
} from './list-rows.ts';
import type { Highlight, ListedArticle, ListedMember } from './schema.ts';
import { foldText, type SearchTerm, searchTerms } from './search-text.ts';

type Database = Kysely<ContentTables>;

/** A search is counted this far, which is also as far as its pages reach. */
const MOST_FOUND = 1000;

/** Newest articles that are scanned before the index is used. */
const NEWEST = 250;

/** A word that one in so many articles has is found sooner by scanning them than by the index. */
const FREQUENT = 4;

/** Most articles scanned, of the newest or of those that the index finds. */
const MOST_SEEN = 5000;

/** Words in more than one in so many articles are too common for the index to find and sort. */
const COMMON = 20;

/** When more articles than this have the words, the last months are searched first. */
const MANY = 2 * MOST_FOUND;

/** Most words that contain one of the search: with more, articles are found by its pieces alone. */
const MOST_WORDS = 500;

/** The pieces and words of the article in `searched`. */
const TERMS = sql`content.search_terms(searched.title, searched.head, searched.body)`;

/** A search and the order of its results. */
interface ArticleSearch {
  q: string;
  order: keyof typeof ORDERS;
  /** True to show the parts that have its words. */
  highlights: boolean;
}

/** Places of the words, each with its column and the mark of its pieces. */
const PLACES = {
  title: { mark: ' t', has: (word: RawBuilder<string>) => sql`strpos(searched.title, ${word}) > 0` },
  head: { mark: ' h', has: (word: RawBuilder<string>) => sql`strpos(searched.head, ${word}) > 0` },
  anywhere: {
    mark: '',
    has: (word: RawBuilder<string>) =>
      sql`(strpos(searched.head, ${word}) > 0 or strpos(searched.body, ${word}) > 0)`,
  },
} as const;

/** The orders: their places, one after the other, and what comes first in each of these. */
const ORDERS = {
  newest: { places: ['anywhere'], first: () => sql`true` },
  relevance: { places: ['title', 'head', 'anywhere'], first: hasAsWritten },
  titles: { places: ['title'], first: beginsWith },
} as const;

type Place = keyof typeof PLACES;

interface FoundPage<Member extends ListedMember> {
  articles: (ListedArticle<Member> & { id: number; highlights?: Highlight[] })[];
  total: Total;
}

/** The ids of articles, newest first; `isComplete` if there are no others. */
interface Found {
  ids: number[];
  isComplete: boolean;
}

const NONE: Found = { ids: [], isComplete: true };

/** The list that is searched: its rows, newest first, and whether these are all of its articles. */
interface SearchedList {
  scope: ArticleScope;
  /** The order in which `searched` comes before what is newer, the greatest first. */
  first: RawBuilder<unknown>;
  /** True if a few articles are enough: those of a common word are then found among the newest alone. */
  isBrief: boolean;
  newest: RawBuilder<unknown>;
  isWhole: boolean;
  /** Called by each place for the result of {@link havingWords}. */
  wholeWords: () => Promise<RawBuilder<unknown>[]>;
}

/**
 * A page of the articles of `scope` that have every word of the search. A search reads a bounded number of
 * rows: it counts to {@link MOST_FOUND}, and looks at {@link MOST_SEEN} articles for each place; it may miss
 * the oldest.
 * @throws Failure `refused` for a page beyond what is counted, `unavailable` if too many searches are running
 */
export function searchArticles<Member extends ListedMember>(
  gate: SearchGate<ContentTables>,
  { status, filters }: Omit<ArticleScope, 'sort'>,
  { q, order, highlights }: ArticleSearch,
  members: readonly Member[],
  { page, perPage }: Page,
): Promise<FoundPage<Member>> {
  return gate.run(async (db) => {
    const scope = { status, filters, sort: 'newest' } as const;
    const terms = searchTerms(q);
    const found = terms.length > 0 ? await findAll(db, scope, terms, order) : NONE;
    const total = Math.min(found.ids.length, MOST_FOUND);
    const isExact = found.isComplete && found.ids.length <= MOST_FOUND;
    const offset = (page - 1) * perPage;
    const ids = found.ids.slice(offset, Math.min(offset + perPage, MOST_FOUND));
    if (ids.length === 0 && !isExact && page > 1) {
      throw new Failure(
        'refused',
        `page: a search reaches its first ${total} articles; add a word or a filter`,
      );
    }
    // Articles whose status has changed since they were found are not shown.
    const rows = await selectItems(db, columnsOf(members))
      .where('article.id', '=', sql<number>`any(${ids}::integer[])`)
      .$if(status !== 'all', (query) => query.where('article.is_published', '=', status === 'published'))
      .execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    const parts = highlights && rows.length > 0 ? await highlightsOf(db, terms, ids, status) : undefined;
    const articles = ids
      .flatMap((id) => byId.get(id) ?? [])
      .filter(({ id }) => parts === undefined || parts.has(id))
      .map((row) => ({ ...membersOf(row, members), id: row.id }));
    return {
      articles: articles.map((article) => ({
        ...article,
        ...(parts && { highlights: parts.get(article.id) ?? [] }),
      })),
      total: { total, isExact },
    };
  });
}

/** Finds articles with the words in the first place, then others with them in the second, and so on. */
async function findAll(
  db: Database,
  scope: ArticleScope,
  terms: readonly SearchTerm[],
  order: ArticleSearch['order'],
): Promise<Found> {
  const words = terms.map(({ folded }) => folded);
  const ids = new Set<number>();
  const shape = await planList(db, scope);
  let wholeWords: Promise<RawBuilder<unknown>[]> | undefined;
  const list = {
    scope,
    first: ORDERS[order].first(terms),
    isBrief: order === 'titles',
    wholeWords: () => {
      wholeWords ??= havingWords(db, words);
      return wholeWords;
    },
    newest: listRows(shape, (name) => sql`${scope.filters[name]}`, 'desc', FIRST),
    isWhole: await readsAll(db, scope, shape),
  };
  let isComplete = true;
  for (const place of ORDERS[order].places) {
    if (ids.size > MOST_FOUND) return { ids: [...ids], isComplete: false };
    const found = await find(db, list, words, place);
    for (const id of found.ids) ids.add(id);
    isComplete &&= found.isComplete;
  }
  return { ids: [...ids], isComplete };
}

/**
 * Common words are soon found among the newest articles; rare ones by the pieces of the words and by whole
 * words (`migrations/0004_content_search.sql`).
 */
async function find(
  db: Database,
  { scope, first: before, isBrief, newest, isWhole, wholeWords }: SearchedList,
  words: readonly string[],
  place: Place,
): Promise<Found> {
  const isComplete = (found: Found) => found.isComplete && isWhole;
  const look = (rows: RawBuilder<unknown>, most: number) => lookThrough(db, rows, most, words, place, before);

  const first = await look(newest, NEWEST);
  if (isComplete(first)) return first;
  const isFindable = words.some(hasPieces);
  const isFrequent = first.ids.length >= NEWEST / FREQUENT;
  if (isBrief && isFrequent) return first;
  if (!isFindable || isFrequent) {
    const more = await look(newest, MOST_SEEN);
    if (isComplete(more) || more.ids.length > MOST_FOUND) return more;
  }
  const { share, all } = isFindable ? await sampled(db, words, place) : ALL;
  if (share * COMMON > 1) return { ...(await look(newest, MOST_SEEN)), isComplete: false };
  const having = havingTerms(scope, words, place, await wholeWords());
  if (share * all > MANY && filtersOf(scope.filters).length === 0) {
    const months = sql`searched.lists && content.last_months(${Math.ceil(MANY / share)})`;
    const last = await look(having(months), MOST_SEEN);
    if (last.ids.length > MOST_FOUND) return last;
  }
  return look(having(sql`true`), MOST_SEEN);
}

/** True if a list has all of its articles: filters that combine choose among the first of one of them. */
async function readsAll(
  db: Database,
  { status, filters }: ArticleScope,
  { lead, others, isWhole }: ListShape,
): Promise<boolean> {
  if (others === '' || isWhole) return true;
  return lead !== '' && (await countFilter(db, status, lead, filters)) <= MOST_COUNTED;
}

interface Share {
  share: number;
  all: number;
}

const ALL: Share = { share: 1, all: Infinity };

/** Estimates from a sample the share of articles that have the words; 0 if there are too few for one. */
async function sampled(db: Database, words: readonly string[], place: Place): Promise<Share> {
  const { rows } = await sql<Share>`
    with table_size as (
      select greatest(reltuples, 1)::float8 as articles from pg_class
      where oid = 'content.article_search'::regclass
    )
    select (select articles from table_size) as "all",
      case when count(*) < ${sql.lit(NEWEST / 2)} then 0
      else (count(*) filter (where ${hasAll(words, place)}))::float8 / count(*) end as share
    from content.article_search as searched tablesample system ((
      select least(100, 100.0 * ${sql.lit(NEWEST)} / articles) from table_size
    ))`.execute(db);
  return rows[0] ?? ALL;
}

/**
 * Looks for the words in the first `most` of `rows`, a SELECT of `id` and `at`, newest first; the greatest
 * `first` comes before the others.
 */
async function lookThrough(
  db: Database,
  rows: RawBuilder<unknown>,
  most: number,
  words: readonly string[],
  place: Place,
  first: RawBuilder<unknown>,
): Promise<Found> {
  const has = hasAll(words, place);
  const {
    rows: [found],
  } = await sql<{ seen: number; ids: number[] }>`
    with candidate as materialized (${rows} limit ${sql.lit(most + 1)})
    select (select count(*)::integer from candidate) as seen, array(
      select id from (
        select candidate.id, candidate.at, hit.is_first from candidate
        cross join lateral (
          select ${first} as is_first from content.article_search as searched
          where searched.article_id = candidate.id and ${has} limit 1
        ) as hit
        order by candidate.at desc, candidate.id desc limit ${sql.lit(MOST_FOUND + 1)}
      ) as found
      order by is_first desc, at desc, id desc
    ) as ids`.execute(db);
  if (found === undefined) throw new Error('a SELECT without FROM has a row');
  return { ids: found.ids, isComplete: found.seen <= most && found.ids.length <= MOST_FOUND };
}

/**
 * Conditions that `searched` has whole words that contain those of the search: of many articles with all of a
 * word's pieces, few may have the word.
 */
async function havingWords(db: Database, words: readonly string[]): Promise<RawBuilder<unknown>[]> {
  const { rows } = await sql<{ terms: string[] }>`
    select array(
      select ' w' || word from content.search_word
      where pressroom.text_pieces(word) @> pressroom.text_pieces(part) and strpos(word, part) > 0
      limit ${sql.lit(MOST_WORDS + 1)}
    ) as terms
    from unnest(${words}::text[]) as word cross join unnest(pressroom.text_words(word)) as part
    where part <> ''`.execute(db);
  const few = rows.filter(({ terms }) => terms.length <= MOST_WORDS);
  // ' w' marks a text with a longer word than is kept.
  return few.map(({ terms }) => sql`${TERMS} && ${[...terms, ' w']}`);
}

/**
 * The articles of a list whose text has every piece of the words, at least those that have the words, and
 * which meet one more condition.
 */
function havingTerms(
  { status, filters }: ArticleScope,
  words: readonly string[],
  place: Place,
  wholeWords: readonly RawBuilder<unknown>[],
) {
  const pieces = sql.join(
    words.map(
      (word) =>
        sql`select ${PLACES[place].mark} || piece from unnest(pressroom.text_pieces(${word})) as piece`,
    ),
    sql` union `,
  );
  const conditions = [
    sql`${TERMS} @> array(${pieces})`,
    ...wholeWords,
    ...listsOf(filters),
    ...(status === 'all' ? [] : [sql`article.is_published = ${status === 'published'}`]),
    ...filtersOf(filters).map((name) => filterOf(name).matches(sql`${filters[name]}`)),
  ];
  return (condition: RawBuilder<unknown>) => sql`
    select article.id, article.published_at as at
    from content.article_search as searched join content.article as article on article.id = searched.article_id
    where ${sql.join([...conditions, condition], sql` and `)} order by article.published_at desc, article.id desc`;
}

/** Conditions that `searched` is in these lists, which the index has beside the terms. */
function listsOf(filters: FilterValues): RawBuilder<unknown>[] {
  return filtersOf(filters).flatMap((name) => {
    const { counted } = filterOf(name);
    if (counted === undefined) return [];
    return sql`searched.lists @> array[${sql.lit(`${counted.kind}:`)} || ${counted.id(sql`${filters[name]}`)}]`;
  });
}

/** The condition on `searched` that it has all words in that place. */
function hasAll(words: readonly string[], place: Place): RawBuilder<unknown> {
  return sql.join(
    words.map((word) => PLACES[place].has(sql`${word}::text`)),
    sql` and `,
  );
}

/** The condition on `searched` that it has the words of the terms as they are written. */
function hasAsWritten(terms: readonly SearchTerm[]): RawBuilder<unknown> {
  const conditions = terms.flatMap(({ marked, plain }) => [
    ...marked.map((word) => sql`strpos(searched.forms, ${word}) > 0`),
    ...plain.map((word) => sql`strpos(split_part(searched.forms, E'\n', 2), ${word}) = 0`),
  ]);
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`;
}

/** 2 for a title that begins with the terms, one after the other, 1 for one with words that do, else 0. */
function beginsWith(terms: readonly SearchTerm[]): RawBuilder<unknown> {
  const typed = terms.map(({ folded }) => folded).join(' ');
  return sql`starts_with(searched.title, ${typed})::integer
    + (strpos(' ' || searched.title, ' ' || ${typed}::text) > 0)::integer`;
}

/** Code points read around the first word in the text of an article. */
const READ = 1000;

/** Of what folding takes out of a text, so much may stand before the word, which moves it. */
const MOST_MOVED = 10_000;

/** Graphemes shown before and after the word. */
const BEFORE = 60;
const AFTER = 240;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

interface Texts {
  id: number;
  title: string;
  excerpt: string | null;
  tags: string[];
  /** The names of the authors; null for none. */
  author: string | null;
  /** The text around the first word; null if it has none. */
  content: string | null;
}

/** The parts of articles of this status that have words of the search, by the article's id. */
async function highlightsOf(
  db: Kysely<ContentTables>,
  terms: readonly SearchTerm[],
  ids: readonly number[],
  status: 'published' | 'draft' | 'all',
): Promise<Map<number, Highlight[]>> {
  const words = terms.map(({ folded }) => folded);
  const places = words.map((word): RawBuilder<unknown> => sql`nullif(strpos(searched.body, ${word}), 0)`);
  const { rows } = await sql<Texts>`
    select article.id, article.title, article.excerpt, array(
        select tag.name from unnest(article.tag_ids) with ordinality as given (tag_id, place)
        join content.tag as tag on tag.id = given.tag_id order by place
      ) as tags, content.author_names(article.author_ids) as author,
      substr(searched.plain, greatest(1, least(${sql.join(places)}) - ${READ / 2}), ${READ} + least(${MOST_MOVED},
        greatest(0, char_length(searched.plain) - char_length(split_part(searched.body, E'\n', 1)))
      )) as content
    from content.article as article
    join content.article_search as searched on searched.article_id = article.id
    where article.id = any(${ids}::integer[])
      and ${status === 'all' ? sql`true` : sql`is_published = ${status === 'published'}`}`.execute(db);
  const folds = new Map<string, string>();
  const fold = (grapheme: string) => {
    const known = folds.get(grapheme) ?? foldText(grapheme);
    folds.set(grapheme, known);
    return known;
  };
  const marked = (text: string) => markedBy(fold, text, words);
  return new Map(
    rows.map(({ id, title, excerpt, tags, author, content }) => {
      const parts = [
        { member: 'title' as const, ...marked(title) },
        { member: 'excerpt' as const, ...marked(excerpt ?? '') },
        ...tags.map((name) => ({ member: 'tags' as const, ...marked(name) })),
        { member: 'author' as const, ...marked(author ?? '') },
        { member: 'content' as const, ...around(content ?? '', marked) },
      ];
      return [id, parts.filter(({ matches }) => matches.length > 0)];
    }),
  );
}

/** The text with the places of the words, which begin and end between graphemes. */
function markedBy(
  fold: (grapheme: string) => string,
  text: string,
  words: readonly string[],
): Omit<Highlight, 'member'> {
  const graphemes = graphemesOf(text);
  // For each code unit of the folded text, where its grapheme begins in the text, and where it ends.
  const begins: number[] = [];
  const ends: number[] = [];
  let folded = '';
  let at = 0;
  for (const grapheme of graphemes) {
    const piece = fold(grapheme);
    for (let unit = 0; unit < piece.length; unit += 1) {
      begins.push(at);
      ends.push(at + grapheme.length);
    }
    folded += piece;
    at += grapheme.length;
  }
  const found = words
    .flatMap((word) => placesOf(word, folded))
    .map(([begin, end]) => ({ begin: begins[begin] ?? 0, end: ends[end - 1] ?? 0 }))
    .sort((a, b) => a.begin - b.begin || b.end - a.end);
  const matches: Highlight['matches'] = [];
  let last = 0;
  for (const { begin, end } of found) {
    // Words may overlap.
    if (begin < last) continue;
    matches.push({ offset: begin, length: end - begin });
    last = end;
  }
  return { text, matches };
}

/** Returns the text around the first of the words. */
function around(
  text: string,
  marked: (text: string) => Omit<Highlight, 'member'>,
): Omit<Highlight, 'member'> {
  const [first] = marked(text).matches;
  if (first === undefined) return { text, matches: [] };
  const before = graphemesOf(text.slice(0, first.offset)).slice(-BEFORE).join('');
  const after = graphemesOf(text.slice(first.offset)).slice(0, AFTER).join('');
  return marked(before + after);
}

function placesOf(word: string, text: string): [number, number][] {
  const places: [number, number][] = [];
  for (let at = text.indexOf(word); word !== '' && at >= 0; at = text.indexOf(word, at + word.length)) {
    places.push([at, at + word.length]);
  }
  return places;
}

function graphemesOf(text: string): string[] {
  return [...GRAPHEMES.segment(text)].map(({ segment }) => segment);
}
