import { searchWords } from '@pressroom/common/search/search';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { ContentTables } from '../tables.ts';

/** A part of a text, and where it has words of the search. */
export const highlight = z.object({
  member: z.enum(['title', 'excerpt', 'tags', 'author', 'content']),
  text: z.string().describe('Text, never HTML: escape it like any other.'),
  matches: z
    .array(z.object({ offset: z.int().nonnegative(), length: z.int().positive() }))
    .describe('Where words of the search are in `text`, in UTF-16 code units, in order.'),
});

/** A part of a text, and where it has words of the search. */
export type Highlight = z.infer<typeof highlight>;

/** How many code points are read around the first word in the text of an article. */
const READ = 1000;

/** How many graphemes of it are shown before and after the word. */
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
export async function highlightsOf(
  db: Kysely<ContentTables>,
  q: string,
  ids: readonly number[],
  status: 'published' | 'draft' | 'all',
): Promise<Map<number, Highlight[]>> {
  const words = searchWords(q);
  const places = words.map(
    (word): RawBuilder<unknown> => sql`nullif(strpos(searched.body, pressroom.fold(${word})), 0)`,
  );
  const { rows } = await sql<Texts>`
    select article.id, article.title, article.excerpt, array(
        select tag.name from unnest(article.tag_ids) with ordinality as given (tag_id, place)
        join content.tag as tag on tag.id = given.tag_id order by place
      ) as tags, content.author_names(article.author_ids) as author,
      substr(searched.plain, greatest(1, least(${sql.join(places)}) - ${READ / 2}), ${READ}) as content
    from content.article as article
    join content.article_search as searched on searched.article_id = article.id
    where article.id = any(${ids}::integer[])
      and ${status === 'all' ? sql`true` : sql`is_published = ${status === 'published'}`}`.execute(db);
  const folded = words.map((word) => graphemesOf(word).map(fold).join(''));
  return new Map(
    rows.map(({ id, title, excerpt, tags, author, content }) => {
      const parts = [
        { member: 'title' as const, ...marked(title, folded) },
        { member: 'excerpt' as const, ...marked(excerpt ?? '', folded) },
        ...tags.map((name) => ({ member: 'tags' as const, ...marked(name, folded) })),
        { member: 'author' as const, ...marked(author ?? '', folded) },
        { member: 'content' as const, ...around(content ?? '', folded) },
      ];
      return [id, parts.filter(({ matches }) => matches.length > 0)];
    }),
  );
}

/** The text with the places of the words, which begin and end between graphemes. */
function marked(text: string, words: readonly string[]): Omit<Highlight, 'member'> {
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

/** What is around the first of the words. */
function around(text: string, words: readonly string[]): Omit<Highlight, 'member'> {
  const [first] = marked(text, words).matches;
  if (first === undefined) return { text, matches: [] };
  const before = graphemesOf(text.slice(0, first.offset)).slice(-BEFORE).join('');
  const after = graphemesOf(text.slice(first.offset)).slice(0, AFTER).join('');
  return marked(before + after, words);
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

/** As `pressroom.fold` compares it, or nearly: JavaScript has no case folding. */
function fold(grapheme: string): string {
  return grapheme.normalize('NFKC').toUpperCase().toLowerCase();
}
