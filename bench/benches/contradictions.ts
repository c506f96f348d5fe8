import { fileURLToPath } from 'node:url';
import { queriesOn } from '@pressroom/common/database/database';
import type { NewsTables } from '@pressroom/news-feed/tables';
import type { Bench } from '../bench.ts';
import { type BenchDatabase, openDatabase } from '../database.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { medianOf } from '../figures/read.ts';
import { printed, sectionOf, table } from '../report/section.ts';
import { claimsOf } from '../stories/contradictions.ts';
import { headlinesOf, LANGUAGES, type Language } from '../stories/headline-archives.ts';

const figure = figuresOf('newsroom');

async function measure({ pool }: BenchDatabase, language: Language): Promise<Figure[]> {
  const half = process.env.STORIES_HALF === 'tuning' ? 'tuning' : 'unread';
  const folder = process.env.STORY_SETS ?? fileURLToPath(new URL('../../../story-sets', import.meta.url));
  const reports = headlinesOf(language, half, folder);
  const { counting, claims } = await claimsOf(queriesOn<NewsTables>(pool), reports);
  const shown = process.env.STORIES_WRONG === language ? claims : claims.filter(isUnlabelled);
  for (const { key, verdict, text } of shown) console.log(`${key} ${verdict} ${text}`);
  const real = claims.filter(({ verdict }) => verdict === 'real').length;
  const unlabelled = claims.filter(isUnlabelled).length;
  return [
    figure(language, 'headlines', '', reports.length),
    figure(language, 'with counts', '', counting),
    figure(language, 'claimed', '', claims.length),
    figure(language, 'real', '', real),
    figure(language, 'unlabelled', '', unlabelled),
    figure(language, 'precision', '', real / (claims.length - unlabelled), 0.9),
  ];
}

function isUnlabelled({ verdict }: { verdict: string }): boolean {
  return verdict === 'unlabelled';
}

const METRICS = ['headlines', 'with counts', 'claimed', 'real', 'unlabelled', 'precision'];

/** The claims by language, the worst first. */
function contradictionsTable(figures: readonly Figure[]): string {
  const measured = LANGUAGES.filter((language) => figures.some(({ what }) => what === language));
  const rows = measured.map((what) => ({
    what,
    values: METRICS.map((metric) => medianOf(figures, { what, metric })),
  }));
  const worstFirst = rows.toSorted((a, b) => (a.values.at(-1) ?? 0) - (b.values.at(-1) ?? 0));
  return table(
    ['', ...METRICS.slice(0, -1), 'precision (aim 0.9)'],
    worstFirst.map(({ what, values }) => [what, ...values.map(printed)]),
  );
}

/**
 * `pnpm bench contradictions`: how many of the contradictions are real that digests state without a model,
 * over headlines that somebody has kept for months. It measures the half that nothing was tuned on, by the
 * verdicts of `bench/stories/verdicts.txt`, and prints each claim that has none. `STORIES_HALF=tuning` takes
 * the other half; `STORIES_WRONG=LANGUAGE` prints all claims of a language. The sets are fetched into
 * `STORY_SETS`, as by `pnpm bench stories`.
 */
export const contradictions: Bench<BenchDatabase> = {
  start: async (_sizes, resources) => resources.use(await openDatabase()),
  parts: () =>
    LANGUAGES.map((language) => ({
      name: language,
      seconds: 100,
      run: (database) => measure(database, language),
    })),
  sections: {
    contradictions: sectionOf('contradictions', (figures) => [contradictionsTable(figures)]),
  },
};
