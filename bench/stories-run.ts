/**
 * `pnpm bench stories`: how well the newsroom finds the story of an item, over sets of labelled reports,
 * beside TF-IDF with a single pass; `bench newsroom` has how long it takes. It measures the halves that
 * nothing was tuned on. The public sets are fetched into `STORY_SETS`, by default a folder next to the
 * repository. `STORIES_HALF=tuning` measures the other halves; `STORIES_WRONG=NAME` lists the wrong pairs of
 * a set.
 */
import { fileURLToPath } from 'node:url';
import { queriesOn } from '@pressroom/common/database/database';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { onDatabase } from './database.ts';
import { type Figure, figuresOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { type Agreement, agreementOf } from './stories/agreement.ts';
import { foreignSets } from './stories/foreign-sets.ts';
import { type LabelledSet, readLabelledSet } from './stories/labelled-set.ts';
import { assignSet, type Order, shuffled } from './stories/quality.ts';
import { singlePass, tunedThreshold } from './stories/single-pass.ts';

const FOLDER = process.env.STORY_SETS ?? fileURLToPath(new URL('../../story-sets', import.meta.url));

const half = process.env.STORIES_HALF === 'tuning' ? 'tuning' : 'unread';
const tuning = setsOf('tuning');
const figures = await onDatabase(async ({ pool }) => {
  const measured: Figure[] = [];
  for (const set of setsOf(half)) {
    const threshold = tunedThreshold(tuning.find(({ name }) => name === set.name) ?? set);
    for (const order of ['by time', 'batch'] as const) {
      const ours = agreementOf(set, await assignSet(queriesOn<NewsTables>(pool), set, order));
      const ordered = order === 'batch' ? shuffled(set.reports) : set.reports;
      const theirs = agreementOf(set, singlePass(ordered, threshold));
      if (process.env.STORIES_WRONG === set.name) console.log([order, ...ours.wrong].join('\n  '));
      measured.push(...figuresOn(set, order, 'newsroom', ours), ...figuresOn(set, order, 'TF-IDF', theirs));
    }
  }
  return measured;
});
keepFigures('stories', figures);

function setsOf(one: LabelledSet['half']): LabelledSet[] {
  return [readLabelledSet(one), ...foreignSets(one, FOLDER)];
}

function figuresOn(set: LabelledSet, order: Order, subject: string, agreement: Agreement): Figure[] {
  const { precision, recall, f1, bCubed } = agreement;
  const figure = figuresOf(subject, { order });
  const what = `${set.name}: ${set.about}; ${set.reports.length} reports`;
  const pairs = [
    figure(what, 'precision', '', precision),
    figure(what, 'recall', '', recall),
    figure(what, 'F1', '', f1),
  ];
  if (bCubed === null) return pairs;
  return [
    ...pairs,
    figure(what, 'B³ precision', '', bCubed.precision),
    figure(what, 'B³ recall', '', bCubed.recall),
    figure(what, 'B³ F1', '', bCubed.f1),
  ];
}
