import { addItems, rank } from '../data/items.ts';
import { CHINESE, LATIN, type Vocabulary } from '../data/vocabulary.ts';
import type { Grown, Kind } from './growing.ts';
import { type Question, WRITE } from './question.ts';

/** The acceptable multiple in the archive, which has no window. */
const ARCHIVED = 1.5;

/** Pages of 10, so that 10,000 items fill them too. */
const ITEMS = '/api/v1/items?limit=10';
const ALL = `${ITEMS}&mode=all`;
const ARCHIVE = '/api/v1/archive?limit=10';
const SNAPSHOT = '/api/v1/selected/snapshot?limit=500';
const CHANGES = '/api/v1/selected/changes';

/** News items of two years, however many there are. */
export const NEWS_ITEMS: Kind = {
  service: 'news-feed',
  schema: 'news',
  add: async (pool, begin, end) => {
    await addItems(pool, begin, end);
    await rank(pool);
  },
  ask: async (grown) => {
    const { cursor } = await grown.read(SNAPSHOT);
    return async () => [...lists(grown), ...(await selectedSet(grown, cursor)), ...writes(grown)];
  },
};

function lists({ rows, question }: Grown): Question[] {
  const search = (script: string, { common, rare, absent }: Vocabulary) =>
    Object.entries({
      'a common word': [common(17)],
      'three common words': [common(17), common(101), common(202)],
      'a rare word': [rare(rows() - 1)],
      'a word that no item has': [absent],
    }).map(([what, words]) =>
      question(`search, ${script}, ${what}`, `${ALL}&q=${encodeURIComponent(words.join(' '))}`),
    );
  const source = 'source=Source%207';
  // The oldest items, and what is found in few months.
  const archive = Object.entries({
    'a source': source,
    'a source in a direction': `${source}&direction=overseas`,
    'a rare category': 'category=patent&direction=overseas',
    'a common word': `q=${LATIN.common(17)}`,
    'a rare word of an old item': `q=${LATIN.rare(3)}`,
    'a word that no item has': `q=${LATIN.absent}`,
  }).map(([what, query]) => question(`archive, ${what}`, `${ARCHIVE}&${query}`, ARCHIVED));
  return [
    question('items, last 7 days', ALL),
    question('items, last 24 hours', `${ALL}&window=24h`),
    question('selected items, by publication', `${ITEMS}&by=published`),
    question('items of a category', `${ALL}&category=research`),
    question('items of a rare category', `${ALL}&category=patent`),
    question('items of a direction', `${ALL}&direction=overseas`),
    question('items of a category and direction', `${ALL}&category=research&direction=overseas`),
    ...search('Latin', LATIN),
    ...search('Chinese', CHINESE),
    ...archive,
    question('sources', '/api/v1/sources'),
    question('stories', '/api/v1/stories?limit=10'),
    question('hot topics', '/api/v1/hot-topics'),
  ];
}

async function selectedSet({ rows, read, question }: Grown, start: string): Promise<Question[]> {
  // The page after half of the set: its cursor names the last key before it, so any page's will do.
  let middle = SNAPSHOT;
  const pages = rows() / 10 / 500 / 2;
  for (let page = 1; page < Math.min(pages, 100); page += 1)
    middle = `${SNAPSHOT}&page=${(await read(middle)).nextPage}`;
  let { cursor: tip, hasMore } = await read(SNAPSHOT);
  while (hasMore) ({ cursor: tip, hasMore } = await read(`${CHANGES}?cursor=${tip}`));
  return [
    question('snapshot, first page', SNAPSHOT),
    question('snapshot, page in the middle', middle),
    question('changes from the start', `${CHANGES}?cursor=${start}`),
    question('changes at the tip', `${CHANGES}?cursor=${tip}`),
  ];
}

function writes({ pool, rows, next }: Grown): Question[] {
  const create = () => {
    const number = next();
    return pool.query(
      `insert into news.item (title, summary, source_name, original_url, canonical_url, published_at, category,
         score, selected, directions)
       values ($1, $2, 'Bench', $3, $3, clock_timestamp(), 'research', 50, true, $4)`,
      [
        LATIN.words(number, 6).join(' '),
        CHINESE.words(number, 30).join(''),
        `https://written.example/${number}`,
        // The same shares as among the others.
        [number % 2 === 0 ? 'domestic' : 'overseas'],
      ],
    );
  };
  const update = () => {
    const number = next();
    const id = `item-${String((number * 7919) % rows()).padStart(9, '0')}`;
    const title = LATIN.words(number, 6).join(' ');
    return pool.query('update news.item set title = $2, selected = true where id = $1', [id, title]);
  };
  return [
    { what: 'create an item', aim: WRITE, ask: create },
    { what: 'update a selected item', aim: WRITE, ask: update },
  ];
}
