import type { ScoreTerm } from './editor.ts';

/** What a score is computed from. */
export interface ScoreInputs {
  /** How much the source is trusted: 1 is ordinary. */
  weight: number;
  firstParty: boolean;
  /** How many other sources report on the same event. */
  coverage: number;
  /** Hours since the publication. */
  ageHours: number;
  /** Characters of title and summary. */
  characters: number;
  /** What the text says about its own worth. */
  signals: readonly { name: string; points: number }[];
  /** What the rules of the source add. */
  rules: number;
}

/** A text of so many characters says what it has to say. */
const FULL_LENGTH = 200;

/** The digits to which points are rounded. */
const DIGITS = 1;

/**
 * The score of an item, from 0 to 100, as its addends:
 *
 *     source      30 · √weight, 60 at most
 *     firstParty  5 if the source reports on its own work
 *     coverage    12 · log2(1 + other sources), 36 at most
 *     freshness   15 · 2^(−age / 24 h)
 *     length      10 · characters / 200, 10 at most
 *     signals     the points of each signal, together −60 to 25
 *     rules       what the rules of the source add
 *     bounds      what brings the sum into 0 to 100
 *
 * The points of the terms add up to the score. A pure function.
 */
export function scoreOf(inputs: ScoreInputs): { score: number; terms: ScoreTerm[] } {
  const { weight, firstParty, coverage, ageHours, characters, signals, rules } = inputs;
  const signalPoints = signals.reduce((total, { points }) => total + points, 0);
  const terms: ScoreTerm[] = [
    { name: 'source', points: Math.min(60, 30 * Math.sqrt(weight)), note: `weight ${weight}` },
    { name: 'firstParty', points: firstParty ? 5 : 0 },
    {
      name: 'coverage',
      points: Math.min(36, 12 * Math.log2(1 + coverage)),
      note: `${coverage} other sources`,
    },
    {
      name: 'freshness',
      points: 15 * 2 ** (-Math.max(0, ageHours) / 24),
      note: `${ageHours.toFixed(1)} h old`,
    },
    {
      name: 'length',
      points: Math.min(10, (10 * characters) / FULL_LENGTH),
      note: `${characters} characters`,
    },
    {
      name: 'signals',
      points: Math.min(25, Math.max(-60, signalPoints)),
      note: signals.map(({ name, points }) => `${name} ${points}`).join(', '),
    },
    { name: 'rules', points: rules },
  ];
  return bounded(terms.filter(({ points }) => points !== 0));
}

/** The score that terms add up to, rounded, with an extra term if the sum leaves 0 to 100. */
export function bounded(terms: readonly ScoreTerm[]): { score: number; terms: ScoreTerm[] } {
  const rounded = terms.map((term) => ({ ...term, points: round(term.points) }));
  const sum = round(rounded.reduce((total, { points }) => total + points, 0));
  const score = Math.min(100, Math.max(0, sum));
  if (score !== sum) rounded.push({ name: 'bounds', points: round(score - sum) });
  return { score, terms: rounded };
}

function round(value: number): number {
  return Number(value.toFixed(DIGITS));
}
