import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { requiredText } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { SearchGate } from '@pressroom/common/search/search';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { CACHED_UNDER } from '../cache-subjects.ts';
import { envelope, success } from '../envelope.ts';
import { replyToReader } from '../requests.ts';
import type { ContentTables } from '../tables.ts';
import { articleReference, type TagOfArticle, termReference } from './schema.ts';
import { searchArticles } from './search.ts';
import { searchTerms } from './search-text.ts';

/** The most articles, tags and authors of an answer, each. */
const MOST = 5;

/** Names whose articles are counted: those that begin with what is typed, and then all others, by name. */
const MOST_NAMES = 1000;

const suggestionsQuery = z.strictObject({ q: requiredText(200).describe('What has been typed so far.') });

const suggestions = z
  .object({
    articles: z.array(articleReference.extend({ category: termReference.nullable() })),
    tags: z.array(termReference),
    authors: z.array(termReference),
  })
  .meta({ id: 'Suggestions', description: 'What begins with, or contains, the words of a search field.' });

interface SuggestionParts {
  gate: SearchGate<ContentTables>;
  cache: RepresentationCache;
}

/** Suggestions for a search field while somebody types (`docs/spec/wire.md`, "Suggestions"). */
export function suggestionOperation({ gate, cache }: SuggestionParts) {
  return operation({
    schema: {
      tags: ['articles'],
      operationId: 'suggestArticles',
      summary: 'Suggest published articles, tags and authors while somebody types',
      description:
        'Up to five of each whose title or name has every word, within longer words too: first those that' +
        ' begin with what is typed. Requests count by themselves, up to twice as many as others.',
      querystring: suggestionsQuery,
      response: {
        200: envelope(suggestions),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const { q } = request.query;
        const { articles } = await searchArticles(
          gate,
          { status: 'published', filters: {} },
          { q, order: 'titles', highlights: false },
          ['id', 'title', 'slug', 'category'],
          { page: 1, perPage: MOST },
        );
        const [tags, authors] = await gate.run((db) =>
          Promise.all([namesWith(db, 'tag', q), namesWith(db, 'author', q)]),
        );
        return {
          value: success('Suggestions found', { articles, tags, authors }),
          subjects: CACHED_UNDER.search({}),
        };
      }),
  });
}

/** The tags or authors with published articles that have the words in their names. */
async function namesWith(db: Kysely<ContentTables>, noun: 'tag' | 'author', q: string) {
  const words = searchTerms(q).map(({ folded }) => folded);
  if (words.length === 0) return [];
  const has = words.map((word) => sql`strpos(searched.name, ${word}::text) > 0`);
  // A join with all counts would read those of every day: each name's total is looked up instead.
  const { rows } = await sql<TagOfArticle>`
    select term.id, term.name, term.slug
    from (
      select ${sql.ref(`${noun}_id`)} as id, starts_with(name, ${words.join(' ')}) as begins
      from ${sql.id('content', `${noun}_search`)} as searched
      where ${sql.join(has, sql` and `)} order by begins desc, name limit ${sql.lit(MOST_NAMES)}
    ) as found
    join ${sql.id('content', noun)} as term on term.id = found.id
    cross join lateral (
      select articles from content.list_count where (kind, id, period, is_published) = (${noun}, term.id, 'all', true)
        and articles > 0 limit 1
    ) as count
    order by begins desc, articles desc, term.name, term.id limit ${sql.lit(MOST)}`.execute(db);
  return rows;
}
