import type { Kysely, Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import { languageOfText, wordsIn } from '../../words.ts';
import { canonicalUrl } from '../editing/canonical-url.ts';
import type { StorySearch } from '../stories/story-search.ts';
import { CoverageReader } from './coverage.ts';
import type { Editor, JudgedItem, Judgement, Submission } from './editor.ts';
import { keepJudgements } from './judgements.ts';
import { takeSlot } from './quota.ts';
import type { Rules, RuleWords } from './rules.ts';
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
  readonly #finders = new WeakMap<RuleWords, Finders>();

  constructor(parts: RulesEditorParts) {
    this.#parts = parts;
    this.#coverage = new CoverageReader(parts.db, parts.search);
  }

  async judge(submission: Submission): Promise<Judgement> {
    const { coverage, ...draft } = await this.draft(submission);
    return { ...draft, ...(await this.select(submission, { ...draft, coverage })) };
  }

  /** Everything but the selection, which may take a place in the quota. */
  async draft(submission: Submission): Promise<Judgement & { coverage: number }> {
    const { title, source, publishedAt, discoveredAt } = submission;
    const summary = submission.summary ?? '';
    const { categories, directions, signals } = this.#findersFor(submission.language);
    const coverage = await this.#coverage.of(submission);
    const { score, terms } = scoreOf({
      weight: source.weight,
      firstParty: source.firstParty,
      coverage,
      ageHours: Math.max(0, discoveredAt.getTime() - publishedAt.getTime()) / HOUR_MS,
      characters: [...title, ...summary].length,
      signals: signals.filter(({ has }) => has(`${title}\n${summary}`)),
      rules: source.points ?? 0,
    });
    return {
      category: source.category ?? best(categories, title, summary) ?? null,
      directions:
        source.directions.length > 0
          ? source.directions
          : directions.filter(({ weigh }) => weigh(title, summary).sum >= MEANT).map(({ name }) => name),
      score,
      terms,
      selected: false,
      reason: null,
      coverage,
    };
  }

  /** Whether the submission is selected with this score, and why. */
  async select(
    { url, title, language, source, discoveredAt }: Submission,
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
    return { selected, reason: selected ? reasonOf(coverage, languageOfText(title, language)) : null };
  }

  keep(tx: Transaction<NewsTables>, judged: readonly JudgedItem[], now: Date): Promise<void> {
    return keepJudgements(tx, judged, now);
  }

  #findersFor(language: string | null): Finders {
    const { rules, vocabulary } = this.#parts;
    const words = rules.wordsFor(language);
    const known = this.#finders.get(words);
    if (known !== undefined) return known;
    const weighed = (names: readonly string[], terms: RuleWords['categories']) =>
      names.map((name) => ({ name, weigh: weigher(terms[name] ?? {}) }));
    const finders = {
      categories: weighed(vocabulary.categories, words.categories),
      directions: weighed(vocabulary.directions, words.directions),
      signals: words.signals.map(({ name, points, terms }) => {
        const found = terms.map(termFinder);
        return { name, points, has: (text: string) => found.some((find) => find(text)) };
      }),
    };
    this.#finders.set(words, finders);
    return finders;
  }
}

/** The words of a rule, ready to be looked for. */
interface Finders {
  categories: readonly Weighed[];
  directions: readonly Weighed[];
  signals: readonly { name: string; points: number; has: (text: string) => boolean }[];
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

function reasonOf(coverage: number, language: string | null): string | null {
  return coverage === 0 ? null : wordsIn(language).sources(coverage + 1);
}
