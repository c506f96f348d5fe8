/**
 * `pnpm bench stories`: how well the newsroom finds the story of an item, over a labelled set of which one
 * half was never tuned on; `bench newsroom` has how long it takes. `STORIES_WRONG=tuning` lists that half's
 * wrong pairs.
 */
import { queriesOn } from '@pressroom/common/database/database';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { onDatabase } from './database.ts';
import { type Figure, figuresOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { measureQuality, type StoryQuality } from './stories/quality.ts';

const HALVES = ['tuning', 'unread'] as const;
const ORDERS = ['by time', 'batch'] as const;

const HALVES_SHOWN = { tuning: 'which the score was tuned on', unread: 'which it was not tuned on' } as const;
const ORDERS_SHOWN = { 'by time': 'as they are published', batch: 'all at once' } as const;

const quality = await onDatabase(async ({ pool }) => {
  const measured: StoryQuality[] = [];
  for (const half of HALVES) {
    for (const order of ORDERS) measured.push(await measureQuality(queriesOn<NewsTables>(pool), half, order));
  }
  return measured;
});
for (const { half, order, wrong } of quality) {
  if (half === process.env.STORIES_WRONG) console.log([`${half}, ${order}`, ...wrong].join('\n  '));
}
keepFigures('stories', quality.flatMap(qualityFigures));

function qualityFigures({ half, order, reports, precision, recall }: StoryQuality): Figure[] {
  const what = `${reports} reports, ${HALVES_SHOWN[half]}, ${ORDERS_SHOWN[order]}`;
  const figure = figuresOf('newsroom');
  return [figure(what, 'precision', '', precision), figure(what, 'recall', '', recall)];
}
