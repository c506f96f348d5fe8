import type { Kysely, Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import { canonicalUrl } from '../editing/canonical-url.ts';
import type { StorySearch } from '../stories/story-search.ts';
import { CoverageReader } from './coverage.ts';
import type { Editor, JudgedItem, Judgement, Submission } from './editor.ts';
import { keepJudgements } from './judgements.ts';
import { takeSlot } from './quota.ts';
import type { Rules } from './rules.ts';
import { scoreOf } from './score.ts';
import { termFinder, weigher } from './term-matcher.ts';

/** The sum from which a category or a direction is meant. */
const MEANT = 2;

const HOUR_MS = 60 * 60 * 1000;

/** What the rules editor needs. */
export interface RulesEditorParts {
  db: Kysely<NewsTables>;
  rules: Rules;
  /** Finds what else reports on an article's event. */
  search: StorySearch;
  vocabulary: Vocabulary;
}

/**
 * Judges by rules: categories and directions by weighted terms, the score by {@link scoreOf}, the selection
 * by the source's rule, a threshold and a daily quota. It needs no network and gives the same answer each
 * time, as long as the coverage and the quota are the same.
 */
export class RulesEditor implements Editor {
  readonly #parts: RulesEditorParts;
  readonly #coverage: CoverageReader;
  readonly #categories: readonly Weighed[];
  readonly #directions: readonly Weighed[];
  readonly #signals: readonly { name: string; points: number; has: (text: string) => boolean }[];

  constructor(parts: RulesEditorParts) {
    const { rules, vocabulary } = parts;
    this.#parts = parts;
    this.#coverage = new CoverageReader(parts.db, parts.search);
    this.#categories = vocabulary.categories.map((name) => ({
      name,
      weigh: weigher(rules.categories[name] ?? {}),
    }));
    this.#directions = vocabulary.directions.map((name) => ({
      name,
      weigh: weigher(rules.directions[name] ?? {}),
    }));
    this.#signals = rules.signals.map(({ name, points, terms }) => {
      const finders = terms.map(termFinder);
      return { name, points, has: (text) => finders.some((find) => find(text)) };
    });
  }

  async judge(submission: Submission): Promise<Judgement> {
    const { coverage, ...draft } = await this.draft(submission);
    return { ...draft, ...(await this.select(submission, { ...draft, coverage })) };
  }

  /** Everything but the selection, which may take a place in the quota. */
  async draft(submission: Submission): Promise<Judgement & { coverage: number }> {
    const { title, source, publishedAt, discoveredAt } = submission;
    const summary = submission.summary ?? '';
    const coverage = await this.#coverage.of(submission);
    const { score, terms } = scoreOf({
      weight: source.weight,
      firstParty: source.firstParty,
      coverage,
      ageHours: Math.max(0, discoveredAt.getTime() - publishedAt.getTime()) / HOUR_MS,
      characters: [...title, ...summary].length,
      signals: this.#signals.filter(({ has }) => has(`${title}\n${summary}`)),
      rules: source.points ?? 0,
    });
    return {
      category: source.category ?? best(this.#categories, title, summary) ?? null,
      directions:
        source.directions.length > 0
          ? source.directions
          : this.#directions
              .filter(({ weigh }) => weigh(title, summary).sum >= MEANT)
              .map(({ name }) => name),
      score,
      terms,
      selected: false,
      reason: null,
      coverage,
    };
  }

  /** Whether the submission is selected with this score, and why. */
  async select(
    { url, title, source, discoveredAt }: Submission,
    { score, coverage }: { score: number | null; coverage: number },
  ): Promise<Pick<Judgement, 'selected' | 'reason'>> {
    const { db, rules, vocabulary } = this.#parts;
    const { id: sourceId, select } = source;
    const applicant = { article: canonicalUrl(url), sourceId };
    if (select === 'none') return { selected: false, reason: null };
    const threshold = typeof select === 'object' ? select.minScore : rules.threshold;
    const selected =
      select === 'all' ||
      ((score ?? 0) >= threshold &&
        (await takeSlot(db, applicant, rules.quota, vocabulary.calendar.date(discoveredAt))));
    return { selected, reason: selected ? reasonOf(coverage, title) : null };
  }

  keep(tx: Transaction<NewsTables>, judged: readonly JudgedItem[], now: Date): Promise<void> {
    return keepJudgements(tx, judged, now);
  }
}

interface Weighed {
  name: string;
  weigh: ReturnType<typeof weigher>;
}

/** The name with the highest sum, the first of equals; undefined if no sum says enough. */
function best(groups: readonly Weighed[], title: string, summary: string): string | undefined {
  const sums = groups.map(({ name, weigh }) => ({ name, sum: weigh(title, summary).sum }));
  const highest = Math.max(MEANT, ...sums.map(({ sum }) => sum));
  return sums.find(({ sum }) => sum === highest)?.name;
}

function reasonOf(coverage: number, title: string): string | null {
  if (coverage === 0) return null;
  return /\p{Script=Han}/u.test(title)
    ? `共 ${coverage + 1} 家来源报道。`
    : `${coverage + 1} sources report on it.`;
}
