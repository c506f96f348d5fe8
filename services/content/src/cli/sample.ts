import { type Kysely, sql } from 'kysely';
import { ArticleStore } from '../articles/store.ts';
import type { ContentTables } from '../tables.ts';
import { AUTHORS, CATEGORIES, TAGS } from '../terms/kinds.ts';
import { TermStore } from '../terms/store.ts';

const CATEGORY_NAMES = { newsroom: 'Newsroom', kitchen: 'Émigré kitchen' };
const TAG_NAMES = { 'first-steps': 'First steps', corrections: 'Corrections', winter: 'Winter' };
const AUTHOR_NAMES = { 'alma-reyes': 'Alma Reyes', 'lin-wei': '林薇' };

interface Picture {
  file: string;
  alt: string;
}

const HILLS: Picture = { file: 'hills.jpg', alt: 'Blue hills under a pale evening sky' };
const TILES: Picture = { file: 'tiles.png', alt: 'A wall of quarter-circle tiles in warm colours' };

interface Sample {
  category: keyof typeof CATEGORY_NAMES;
  title: string;
  excerpt: string;
  content: string;
  tags?: (keyof typeof TAG_NAMES)[];
  authors?: (keyof typeof AUTHOR_NAMES)[];
  featured?: Picture;
  /** Shown after the text. */
  figure?: Picture & { caption: string };
  /** Days until its publication; at once if absent. */
  publishIn?: number | 'never';
}

const SAMPLE: readonly Sample[] = [
  {
    category: 'newsroom',
    title: 'A newsroom starts with an empty page',
    excerpt: 'What this sample is, and how to replace it.',
    content:
      '<p>These articles came with the first start, so that a first request has something to answer. Make a key,' +
      ' write your own, and delete them: they do not come back.</p>',
    tags: ['first-steps'],
    authors: ['alma-reyes'],
    featured: HILLS,
  },
  {
    category: 'newsroom',
    title: 'Corrections belong above the fold',
    excerpt: 'Readers forgive an error that is admitted openly.',
    content:
      '<p>An article keeps its address when it is corrected: the slug stays for good once it has been published,' +
      ' and <code>updated_at</code> shows when it changed.</p>',
    tags: ['corrections', 'first-steps'],
    authors: ['alma-reyes', 'lin-wei'],
  },
  {
    category: 'kitchen',
    title: 'Борщ for a winter evening',
    excerpt: 'Any script becomes a readable address.',
    content:
      '<p>Slugs are transliterated: look at the address of this article. Then simmer the beets for an hour, and' +
      ' add the cabbage last.</p>',
    tags: ['winter'],
    figure: {
      ...TILES,
      caption: 'The wall behind the stove. Its picture is in the folder public/ of the media.',
    },
  },
  {
    category: 'kitchen',
    title: '麻婆豆腐 without fear',
    excerpt: 'A second article of the category, so that the first has a related article.',
    content:
      '<p>The related articles of a detail are of the same category: those that share most words of the title' +
      ' come first, and then the newest.</p>',
    authors: ['lin-wei'],
    featured: TILES,
  },
  {
    category: 'newsroom',
    title: 'Notes for a front page',
    excerpt: 'A draft, which no reader sees.',
    content:
      '<p>Drafts are shown at the desk, and to keys that may read them. Nobody else finds this one.</p>',
    publishIn: 'never',
  },
  {
    category: 'newsroom',
    title: 'The week ahead',
    excerpt: 'A draft with a time: it is published by itself.',
    content:
      '<p>This article is published three days after the first start, unless its time is changed or cancelled.</p>',
    authors: ['alma-reyes'],
    publishIn: 3,
  },
];

/**
 * Adds the sample to a database that has never had an article; does nothing otherwise. `media` is the address
 * below which the pictures of the gallery's sample are; without it, articles have none.
 */
export async function addSample(db: Kysely<ContentTables>, media: string | undefined): Promise<void> {
  const { rows } = await sql<{ last: number | null }>`
    select pg_sequence_last_value(pg_get_serial_sequence('content.article', 'id')) as last
  `.execute(db);
  if (rows[0]?.last !== null) return;
  const categories = await createTerms(new TermStore(CATEGORIES, db), CATEGORY_NAMES);
  await createTerms(new TermStore(TAGS, db), TAG_NAMES);
  await createTerms(new TermStore(AUTHORS, db), AUTHOR_NAMES);
  const articles = new ArticleStore(db);
  for (const { category, content, featured, figure, publishIn = 0, ...sample } of SAMPLE) {
    const picture = media === undefined ? undefined : featured;
    await articles.create({
      ...sample,
      content: media === undefined || figure === undefined ? content : content + figureOf(figure, media),
      category_id: categories[category],
      author: 'Pressroom',
      is_published: publishIn === 0,
      ...(picture && { featured_image: `${media}${picture.file}`, alt_text: picture.alt }),
      ...(typeof publishIn === 'number' && publishIn > 0 && { publish_at: daysAhead(publishIn) }),
    });
  }
  console.log(`The database was empty; it now has ${SAMPLE.length} sample articles.`);
}

/** Creates terms by slug; returns their ids. */
async function createTerms<Slug extends string>(
  terms: TermStore,
  names: Record<Slug, string>,
): Promise<Record<Slug, number>> {
  const ids: Partial<Record<Slug, number>> = {};
  for (const [slug, name] of Object.entries(names) as [Slug, string][]) {
    ids[slug] = (await terms.create({ name, slug })).term.id;
  }
  return ids as Record<Slug, number>;
}

function figureOf({ file, alt, caption }: NonNullable<Sample['figure']>, media: string): string {
  const image = `<img src="${media}${file}" alt="${alt}" width="1600" height="1000" />`;
  return `<figure>${image}<figcaption>${caption}</figcaption></figure>`;
}

function daysAhead(days: number): Date {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000);
}
