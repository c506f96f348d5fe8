import type { LabelledReport, LabelledSet } from './labelled-set.ts';

/** Agreement of the stories with the events of a set. */
interface Agreement {
  /**
   * By their names in the figures. Precision is the share of the pairs in one story that is on one event,
   * recall the share of the pairs on one event that is in one story. Those of B³ are the same by report: the
   * mean share of its story that is on its event, and the reverse; a set of pairs has none.
   */
  scores: Readonly<Record<'precision' | 'recall' | 'F1', number>>;
  /** The pairs that are wrong, as titles, for whoever tunes. */
  wrong: string[];
}

/** Compares the stories of a set's reports with its events; of a set of pairs, these pairs alone. */
export function agreementOf({ reports }: LabelledSet, stories: ReadonlyMap<string, string>): Agreement {
  const isTogether = (a: LabelledReport, b: LabelledReport) => stories.get(a.id) === stories.get(b.id);
  const isExpected = (a: LabelledReport, b: LabelledReport) => a.event === b.event;
  const together = pairsWithin(reports, ({ id }) => stories.get(id) ?? id);
  const expected = pairsWithin(reports, ({ event }) => event);
  const joined = together.filter(([a, b]) => !isExpected(a, b));
  const parted = expected.filter(([a, b]) => !isTogether(a, b));
  const right = together.length - joined.length;
  const precision = right / Math.max(1, together.length);
  const recall = right / Math.max(1, expected.length);
  const wrong = [
    ...joined.map(([a, b]) => `one story: ${a.title} / ${b.title}`),
    ...parted.map(([a, b]) => `two stories: ${a.title} / ${b.title}`),
  ];
  const scores = { precision, recall, F1: meanOf(precision, recall), ...bCubedOf(reports, stories) };
  return { scores, wrong };
}

/** The pairs of reports with the same key, of a set of pairs those that were labelled. */
function pairsWithin(reports: readonly LabelledReport[], keyOf: (report: LabelledReport) => string) {
  return [...Map.groupBy(reports, keyOf).values()].flatMap((group) =>
    group.flatMap((a, index) =>
      group
        .slice(index + 1)
        .filter((b) => a.judgedWith === undefined || a.set !== b.set || a.judgedWith.has(b.id))
        .map((b) => [a, b] as const),
    ),
  );
}

function bCubedOf(reports: readonly LabelledReport[], stories: ReadonlyMap<string, string>) {
  if (reports.some(({ judgedWith }) => judgedWith !== undefined)) return {};
  const sizes = new Map<string, number>();
  const count = (key: string) => sizes.set(key, (sizes.get(key) ?? 0) + 1);
  const keysOf = ({ id, event }: LabelledReport) => [`event ${event}`, `story ${stories.get(id)}`] as const;
  for (const report of reports) {
    const [event, story] = keysOf(report);
    count(event);
    count(story);
    count(`${event} ${story}`);
  }
  let [precision, recall] = [0, 0];
  for (const report of reports) {
    const [event, story] = keysOf(report);
    const both = sizes.get(`${event} ${story}`) ?? 0;
    precision += both / (sizes.get(story) ?? 1) / reports.length;
    recall += both / (sizes.get(event) ?? 1) / reports.length;
  }
  return { 'B³ precision': precision, 'B³ recall': recall, 'B³ F1': meanOf(precision, recall) };
}

function meanOf(a: number, b: number): number {
  return a + b === 0 ? 0 : (2 * a * b) / (a + b);
}
