import type { ValueOf } from '@pressroom/common/database/database';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { ITEM_COLUMNS, type ItemRow } from './representation.ts';
import type { ItemsQuery } from './schema.ts';

/** An item in the list. */
export interface ListedItem extends ItemRow {
  reason: string | null;
}

/** The column for each time that a query may use. */
const TIME_COLUMN = { timeline: 'timeline_at', published: 'published_at' } as const;

/** The values that the query of a page takes; its shape decides which of them it uses. */
export interface PageValues {
  after: Date;
  through: Date;
  anchorAt: Date;
  anchorId: string;
  category: string;
  direction: string;
  language: string;
  source: string;
  limit: number;
}

/** A row of a page with the time by which it is listed. */
export interface PageRow extends ListedItem {
  at: Date;
}

/**
 * What a page is read from: some of the newest items, all of them, or those with the query's terms.
 */
export type Reach = 'newest' | 'newer' | 'all' | 'terms';

/** How many of the newest items are looked through before the others are. */
const NEWEST = { newest: 250, newer: 5000 };

/** Everything that the SQL of a page depends on, except the words of a search. */
export type PageShape = {
  mode: ItemsQuery['mode'];
  by: ItemsQuery['by'];
  continued: boolean;
  inCategory: boolean;
  inDirection: boolean;
  inLanguage: boolean;
  inSource: boolean;
};

/** The shape of a page, and what it is read from. */
export type ReadShape = PageShape & { reach: Reach };

/**
 * The statement of a page of public items, newest first. `limit` of the values includes one extra row, which
 * shows whether there are more.
 */
export function selectPage(db: Kysely<NewsTables>, shape: ReadShape, value: ValueOf<PageValues>) {
  const time = TIME_COLUMN[shape.by];
  const key = sql`(${sql.ref(time)}, id)`;
  const listed = db
    .selectFrom('news.item')
    .select([...ITEM_COLUMNS, 'reason', 'search_text', `${time} as at`])
    .$if(shape.mode === 'selected', (select) => select.where(sql<boolean>`in_selected_set`))
    .$if(shape.mode === 'all', (select) => select.where('withdrawn_at', 'is', null))
    .where(time, '>', value('after'))
    .where(time, '<=', value('through'))
    .$if(shape.continued, (select) =>
      select.where(sql<boolean>`${key} < (${value('anchorAt')}::timestamptz, ${value('anchorId')})`),
    )
    .$if(shape.reach === 'newest' || shape.reach === 'newer', (select) =>
      select
        .orderBy(time, 'desc')
        .orderBy('id', 'desc')
        .limit(sql.lit(NEWEST[shape.reach as keyof typeof NEWEST])),
    );
  return db
    .selectFrom(listed.as('item'))
    .select([...ITEM_COLUMNS, 'reason', 'at'])
    .$if(shape.inCategory, (select) => select.where('category', '=', value('category')))
    .$if(shape.inDirection, (select) => select.where(sql<boolean>`${value('direction')} = any(directions)`))
    .$if(shape.inLanguage, (select) =>
      select.where(
        sql<boolean>`(language = ${value('language')} or starts_with(language, ${value('language')} || '-'))`,
      ),
    )
    .$if(shape.inSource, (select) => select.where('source_name', '=', value('source')))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(value('limit'));
}

/** Only items with every one of the words in their text. */
export function withWords<Selected>(
  page: SelectQueryBuilder<NewsTables, never, Selected>,
  words: readonly string[],
) {
  return words.reduce(
    // Anywhere in the text: `strpos` takes every character literally.
    (select, word) => select.where(sql<boolean>`strpos(search_text, news.fold(${word})) > 0`),
    page,
  );
}
