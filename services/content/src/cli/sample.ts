import { type Kysely, sql } from 'kysely';
import { ArticleStore } from '../articles/store.ts';
import type { ContentTables } from '../tables.ts';
import { CATEGORIES } from '../terms/categories.ts';
import { TermStore } from '../terms/store.ts';

/** The sample articles. */
const SAMPLE = [
  {
    category: 'Newsroom',
    articles: [
      {
        title: 'A newsroom starts with an empty page',
        excerpt: 'What this sample is, and how to replace it.',
        content:
          '<p>These articles came with the first start, so that a first request has something to answer. Make a key,' +
          ' write your own, and delete them: they do not come back.</p>',
      },
      {
        title: 'Corrections belong above the fold',
        excerpt: 'Readers forgive an error that is admitted openly.',
        content:
          '<p>An article keeps its address when it is corrected: the slug stays for good once it has been published,' +
          ' and <code>updated_at</code> shows when it changed.</p>',
      },
    ],
  },
  {
    category: 'Émigré kitchen',
    articles: [
      {
        title: 'Борщ for a winter evening',
        excerpt: 'Any script becomes a readable address.',
        content:
          '<p>Slugs are transliterated: look at the address of this article. Then simmer the beets for an hour, and' +
          ' add the cabbage last.</p>',
      },
      {
        title: '麻婆豆腐 without fear',
        excerpt: 'A second article of the category, so that the first has a related article.',
        content:
          '<p>The related articles of a detail are of the same category: those that share most words of the title' +
          ' come first, and then the newest.</p>',
      },
    ],
  },
];

/** Adds the sample to a database that has never had an article; does nothing otherwise. */
export async function addSample(db: Kysely<ContentTables>): Promise<void> {
  const { rows } = await sql<{ last: number | null }>`
    select pg_sequence_last_value(pg_get_serial_sequence('content.article', 'id')) as last
  `.execute(db);
  if (rows[0]?.last !== null) return;
  const [articles, categories] = [new ArticleStore(db), new TermStore(CATEGORIES, db)];
  for (const { category, articles: samples } of SAMPLE) {
    const {
      term: { id },
    } = await categories.create({ name: category });
    for (const sample of samples) {
      await articles.create({ ...sample, category_id: id, is_published: true, author: 'Pressroom' });
    }
  }
  console.log('The database was empty; it now has four sample articles.');
}
