/** The weights of a ranking, stored with it so that a rank can be explained after they have changed. */
export const RANKING_WEIGHTS = {
  /** The time in which a report loses half its weight, in hours. */
  halfLifeHours: 12,
  /** The weight of a source that reports on its own work; any other source weighs 1. */
  firstParty: 1.5,
  /** How much twice as many reports add. */
  signals: 0.5,
};

/** A report on a topic. */
export interface Report {
  itemId: string;
  source: string;
  firstParty: boolean;
  /** When it became news here (the timeline time). */
  at: Date;
}

/** The data from which a topic's rank is computed. */
export interface Topic {
  id: string;
  reports: readonly Report[];
}

/** The contribution of one source to a topic. */
interface SourceShare {
  source: string;
  firstParty: boolean;
  /** The age of its newest report, in hours. */
  ageHours: number;
  /** Its weight, reduced by that age. */
  weight: number;
}

/** A topic's heat and the terms of its sum. */
export interface Heat {
  heat: number;
  /** The sum of `sources`. */
  coverage: number;
  /** The contribution of the number of reports. */
  signals: number;
  /** Heaviest first. */
  sources: SourceShare[];
}

/** The digits to which a heat is rounded, so that equal topics compare equal in any order of summation. */
const DIGITS = 6;

const HOUR_MS = 60 * 60 * 1000;

/**
 * The heat of a topic at `now`:
 *
 *     heat = Σ w(s) · fade(s)  +  signals · log2(1 + Σ fade(r))
 *           sources s                        reports r
 *
 * where `fade` is 2^(−age / half-life), a source's age is that of its newest report, and w(s) is `firstParty`
 * for a source that has reported on its own work, else 1. Ten reports from one source are therefore worth far
 * less than one report from each of ten. Reports dated after `now` have age 0. A pure function.
 */
export function heatOf(reports: readonly Report[], now: Date): Heat {
  const sources = sourcesOf(reports, now);
  const coverage = sum(sources.map(({ weight }) => weight));
  const faded = sum(reports.map(({ at }) => fade(hoursBetween(at, now))));
  const signals = round(RANKING_WEIGHTS.signals * Math.log2(1 + faded));
  return { heat: round(coverage + signals), coverage, signals, sources };
}

/**
 * Topics with their heat, hottest first; equal heats are ordered by newest report, then by smallest id. The
 * order of `topics` does not matter.
 */
export function rankTopics<T extends Topic>(
  topics: readonly T[],
  now: Date,
): (T & { heat: Heat; latestAt: Date })[] {
  return topics
    .map((topic) => ({ ...topic, heat: heatOf(topic.reports, now), latestAt: latestOf(topic) }))
    .sort(
      (a, b) =>
        b.heat.heat - a.heat.heat ||
        b.latestAt.getTime() - a.latestAt.getTime() ||
        (a.id < b.id ? -1 : Number(a.id > b.id)),
    );
}

function sourcesOf(reports: readonly Report[], now: Date): SourceShare[] {
  const bySource = new Map<string, { firstParty: boolean; ageHours: number }>();
  for (const { source, firstParty, at } of reports) {
    const known = bySource.get(source);
    const ageHours = hoursBetween(at, now);
    bySource.set(source, {
      firstParty: firstParty || known?.firstParty === true,
      ageHours: Math.min(ageHours, known?.ageHours ?? ageHours),
    });
  }
  return [...bySource]
    .map(([source, { firstParty, ageHours }]) => {
      const weight = round((firstParty ? RANKING_WEIGHTS.firstParty : 1) * fade(ageHours));
      return { source, firstParty, ageHours: round(ageHours), weight };
    })
    .sort((a, b) => b.weight - a.weight || (a.source < b.source ? -1 : 1));
}

function latestOf({ reports }: Topic): Date {
  return new Date(Math.max(...reports.map(({ at }) => at.getTime())));
}

function fade(ageHours: number): number {
  return 2 ** (-ageHours / RANKING_WEIGHTS.halfLifeHours);
}

function hoursBetween(earlier: Date, later: Date): number {
  return Math.max(0, later.getTime() - earlier.getTime()) / HOUR_MS;
}

function sum(values: number[]): number {
  // Sorted, so that the result does not depend on the order of the rows.
  return round(values.sort((a, b) => a - b).reduce((total, value) => total + value, 0));
}

function round(value: number): number {
  return Number(value.toFixed(DIGITS));
}
