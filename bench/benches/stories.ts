import { fileURLToPath } from 'node:url';
import { queriesOn } from '@pressroom/common/database/database';
import { readConfig } from '@pressroom/common/start/config';
import { readVocabulary } from '@pressroom/news-feed/config';
import { embeddedTitles } from '@pressroom/news-feed/grouping/judging';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { embeddingSettings } from '@pressroom/news-feed/work/worker-config';
import type { TitleVectors } from '@pressroom/stories';
import type { Kysely } from 'kysely';
import type { Bench } from '../bench.ts';
import { type BenchDatabase, openDatabase } from '../database.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { medianOf } from '../figures/read.ts';
import { printed, sectionOf, table } from '../report/section.ts';
import { agreementOf } from '../stories/agreement.ts';
import { foreignSets } from '../stories/foreign-sets.ts';
import { type LabelledSet, readLabelledSet } from '../stories/labelled-set.ts';
import { assignSet, type Order, shuffled } from '../stories/quality.ts';
import { singlePass, tunedThreshold } from '../stories/single-pass.ts';

/** The newsroom where `NEWS_EMBEDDINGS_*` name a model, as figures name it. */
const EMBEDDED = 'with embeddings';

async function measure({ pool }: BenchDatabase): Promise<Figure[]> {
  const half = process.env.STORIES_HALF === 'tuning' ? 'tuning' : 'unread';
  const tuning = setsOf('tuning');
  const figures: Figure[] = [];
  const db = queriesOn<NewsTables>(pool);
  for (const set of setsOf(half)) {
    const threshold = tunedThreshold(tuning.find(({ name }) => name === set.name) ?? set);
    for (const order of ['by time', 'batch'] as const) {
      const ours = agreementOf(set, await assignSet(db, set, order));
      const ordered = order === 'batch' ? shuffled(set.reports) : set.reports;
      const theirs = agreementOf(set, singlePass(ordered, threshold));
      if (process.env.STORIES_WRONG === set.name) console.log([order, ...ours.wrong].join('\n  '));
      figures.push(...figuresOn(set, order, 'newsroom', ours.scores));
      figures.push(...figuresOn(set, order, 'TF-IDF', theirs.scores));
    }
    const titles = titleVectors(db);
    if (titles === undefined) continue;
    const embedded = agreementOf(set, await assignSet(db, set, 'by time', titles));
    figures.push(...figuresOn(set, 'by time', EMBEDDED, embedded.scores));
  }
  return figures;
}

/** Opens the model that embeds titles, if `NEWS_EMBEDDINGS_*` name one. */
function titleVectors(db: Kysely<NewsTables>): TitleVectors | undefined {
  const config = readConfig(embeddingSettings, process.env);
  const { NEWS_EMBEDDINGS_URL: url, NEWS_EMBEDDINGS_MODEL: model, NEWS_EMBEDDINGS_API_KEY: key } = config;
  if (url === undefined || model === undefined) return undefined;
  const warn = (fault: object) => {
    throw new Error(`a title was not embedded: ${JSON.stringify(fault)}`);
  };
  const parts = { db, calendar: readVocabulary({}).calendar, clock: () => new Date(), log: { warn } };
  const settings = { url, key, model, timeoutMs: 120_000 };
  return embeddedTitles(parts, settings, Number.MAX_SAFE_INTEGER);
}

function setsOf(half: LabelledSet['half']): LabelledSet[] {
  const besideRepository = fileURLToPath(new URL('../../../story-sets', import.meta.url));
  return [readLabelledSet(half), ...foreignSets(half, process.env.STORY_SETS ?? besideRepository)];
}

function figuresOn(set: LabelledSet, order: Order, subject: string, scores: object): Figure[] {
  const figure = figuresOf(subject, { order });
  const what = `${set.name}: ${set.about}; ${set.reports.length} reports`;
  return Object.entries(scores).map(([metric, score]) => figure(what, metric, '', score));
}

/** The newsroom's result for each set of labelled reports, worst first, beside TF-IDF with a single pass. */
function storiesTable(figures: readonly Figure[]): string {
  const hasEmbeddings = figures.some(({ subject }) => subject === EMBEDDED);
  const rows = [...Map.groupBy(figures, ({ what }) => what)].map(([what, of]) => {
    const value = (subject: string, metric: string, order = 'by time') =>
      medianOf(of, { subject, metric, at: { order } });
    const ours = (metric: string) => shown(value('newsroom', metric));
    const beside = (metric: string) => `${ours(metric)} (${shown(value('TF-IDF', metric))})`;
    const atOnce = shown(value('newsroom', 'F1', 'batch'));
    const embedded = ['precision', 'recall', 'F1'].map((metric) => shown(value(EMBEDDED, metric)));
    const cells = [what, ours('precision'), ours('recall'), beside('F1'), beside('B³ F1'), atOnce];
    return { f1: value('newsroom', 'F1'), cells: [...cells, ...(hasEmbeddings ? embedded : [])] };
  });
  const worstFirst = rows.toSorted((a, b) => a.f1 - b.f1).map(({ cells }) => cells);
  const heads = ['', 'precision', 'recall', 'F1 (TF-IDF)', 'B³ F1 (TF-IDF)', 'F1, all at once'];
  const further = ['precision with embeddings', 'recall with them', 'F1 with them'];
  return table([...heads, ...(hasEmbeddings ? further : [])], worstFirst);
}

function shown(value: number): string {
  return Number.isNaN(value) ? '–' : printed(Number(value.toFixed(2)));
}

/**
 * `pnpm bench stories`: the quality with which the newsroom finds the story of an item, over sets of labelled
 * reports, beside TF-IDF with a single pass; `bench newsroom` has the time it takes. It measures the halves
 * that nothing was tuned on. The public sets are fetched into `STORY_SETS`, by default a folder next to the
 * repository. `STORIES_HALF=tuning` measures the other halves; `STORIES_WRONG=NAME` lists the wrong pairs of
 * a set. If `NEWS_EMBEDDINGS_URL` and `NEWS_EMBEDDINGS_MODEL` name a model, it also measures what that adds.
 */
export const stories: Bench<BenchDatabase> = {
  start: async (_sizes, resources) => resources.use(await openDatabase()),
  parts: () => [{ name: 'sets', seconds: 60, run: measure }],
  sections: { stories: sectionOf('stories', (figures) => [storiesTable(figures)]) },
};
