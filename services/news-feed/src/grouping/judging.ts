import { lockUntilCommit } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import type { Logger } from '@pressroom/common/log/logging';
import {
  type AnswerMemory,
  coverageAmong,
  type EndpointSettings,
  type Judgement,
  type ModelBudget,
  ModelJudge,
  RuleJudge,
  type Rules,
  type RulesSettings,
  type ScoreTerm,
  type Spender,
  type Submission,
  type SubmissionJudge,
  TitleVectors,
} from '@pressroom/stories';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import pLimit from 'p-limit';
import type { Calendar, Clock } from '../calendar.ts';
import { canonicalUrl } from '../fields.ts';
import type { NewsTables } from '../tables.ts';
import type { Vocabulary } from '../words.ts';
import type { EditorialConfig, EmbeddingConfig } from '../work/worker-config.ts';
import type { StorySearch } from './story-index.ts';

/** An item with its judgement. */
export interface JudgedItem {
  itemId: string;
  judgement: Judgement;
}

/** Judges the articles that the worker reads, and keeps why. Any number of workers call it at once. */
export interface Judge extends SubmissionJudge {
  /**
   * Keeps what explains the judgements, in the transaction that writes the items. It may be called again for
   * the same item, with a newer judgement.
   */
  keep(tx: Transaction<NewsTables>, judged: readonly JudgedItem[], now: Date): Promise<void>;
}

/** The model's language without `SITE_LANGUAGE`: that of the readers in the default time zone. */
const LANGUAGE = 'Simplified Chinese';
const LANGUAGE_TAG = 'zh-Hans';

interface JudgeContext {
  db: Kysely<NewsTables>;
  vocabulary: Vocabulary;
  clock: Clock;
  /** Shared with the assigner of stories, which looks for the same. */
  search: StorySearch;
}

/**
 * The judge that the settings ask for: a model where `EDITORIAL_URL` and `EDITORIAL_MODEL` name one, else
 * the rules. Throws a `Failure` for a pack that is not one.
 */
export function openJudge(
  config: EditorialConfig & RulesSettings,
  { db, vocabulary, clock, search }: JudgeContext,
): Judge {
  const rules = ruleJudge({ db, rules: () => vocabulary.rules, search, vocabulary });
  const model = modelOf(config);
  if (model === undefined) return keeping(rules);
  const budget = new BudgetStore(db, vocabulary.calendar, model.budget);
  const categories = () => vocabulary.offered;
  return keeping(
    new ModelJudge({ ...model, rules, categories, clock, budget, answers: new AnswerStore(db) }),
  );
}

interface RuleJudgeParts {
  db: Kysely<NewsTables>;
  rules: () => Rules;
  /** Finds what else reports on an article's event. */
  search: StorySearch;
  vocabulary: Vocabulary;
}

/** The judge by rules, with the coverage and the quota that the newsroom has. */
export function ruleJudge({ db, rules, search, vocabulary }: RuleJudgeParts): RuleJudge {
  const coverage = new CoverageReader(db, search);
  return new RuleJudge({
    rules,
    vocabulary: {
      get categories() {
        return vocabulary.offered;
      },
      directions: vocabulary.directions,
    },
    coverageOf: (submission) => coverage.of(submission),
    takePlace: ({ url, source, discoveredAt }, quota) => {
      const applicant = { article: canonicalUrl(url), sourceId: source.id };
      return takeSlot(db, applicant, quota, vocabulary.calendar.date(discoveredAt));
    },
  });
}

/** A judge whose judgements are kept. */
export function keeping(judge: SubmissionJudge): Judge {
  return { judge: (submission, signal) => judge.judge(submission, signal), keep: keepJudgements };
}

/** The model that judges and writes digests, as the settings name it. */
export interface EditorialModel {
  settings: EndpointSettings;
  /** The language of what it writes, as English names it, and its tag (BCP 47). */
  language: string;
  languageTag: string;
  budget: DailyBudget;
}

/** The model that the settings name; undefined if they name none. */
export function modelOf(
  config: EditorialConfig & Pick<RulesSettings, 'SITE_LANGUAGE'>,
): EditorialModel | undefined {
  const { EDITORIAL_URL: url, EDITORIAL_MODEL: model, EDITORIAL_KEY: key } = config;
  if (url === undefined || model === undefined) return undefined;
  return {
    settings: { url, key, model, timeoutMs: config.EDITORIAL_TIMEOUT_MS },
    languageTag: config.SITE_LANGUAGE ?? LANGUAGE_TAG,
    language: languageName(config.SITE_LANGUAGE),
    budget: { requests: config.EDITORIAL_DAILY_REQUESTS, tokens: config.EDITORIAL_DAILY_TOKENS },
  };
}

/** A language as English names it, such as `Brazilian Portuguese`. */
function languageName(tag: string | undefined): string {
  if (tag === undefined) return LANGUAGE;
  return new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;
}

/** Timeout of a request for vectors, in ms: entries wait for it. */
const TIMEOUT_MS = 10_000;

interface TitleVectorsParts extends Pick<JudgeContext, 'db' | 'clock'> {
  /** Determines the days of the budget. */
  calendar: Calendar;
  log: Pick<Logger, 'warn'>;
}

/** Opens the model that embeds titles, if the settings name one. */
export function openTitleVectors(
  config: EmbeddingConfig,
  parts: TitleVectorsParts,
): TitleVectors | undefined {
  const { NEWS_EMBEDDINGS_URL: url, NEWS_EMBEDDINGS_MODEL: model, NEWS_EMBEDDINGS_API_KEY: key } = config;
  if (url === undefined || model === undefined) return undefined;
  const settings = { url, key, model, timeoutMs: TIMEOUT_MS };
  return embeddedTitles(parts, settings, config.NEWS_EMBEDDINGS_DAILY_TOKENS);
}

/** The vectors of titles, within a day's tokens. */
export function embeddedTitles(
  { db, calendar, clock, log }: TitleVectorsParts,
  settings: EndpointSettings,
  dailyTokens: number,
): TitleVectors {
  const budget = {
    take: (tokens: number, now: Date) => takeForEmbeddings(db, calendar.date(now), tokens, dailyTokens),
    settle: (tokens: number, now: Date) => settleEmbeddings(db, calendar.date(now), tokens),
  };
  return new TitleVectors({ settings, budget, clock, log });
}

/** Stores the judgements of items, or replaces those stored. */
export async function keepJudgements(
  tx: Transaction<NewsTables>,
  judged: readonly JudgedItem[],
  now: Date,
): Promise<void> {
  if (judged.length === 0) return;
  const rows = judged.map(({ itemId, judgement: { category, score, selected, reason, terms } }) => ({
    item_id: itemId,
    category,
    score,
    selected,
    reason,
    terms,
  }));
  await sql`
    insert into news.item_judgement (item_id, judged_at, category, score, selected, reason, terms)
    select item_id, ${now}, category, score, selected, reason, terms
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row
      (item_id text, category text, score double precision, selected boolean, reason text, terms jsonb)
    on conflict (item_id) do update set judged_at = excluded.judged_at, category = excluded.category,
      score = excluded.score, selected = excluded.selected, reason = excluded.reason, terms = excluded.terms
  `.execute(tx);
}

/** Returns an item with its judgement. Throws a {@link Failure} if the item does not exist. */
export async function readJudgement(db: Kysely<NewsTables>, itemId: string) {
  return db
    .selectFrom('news.item as item')
    .leftJoin('news.item_judgement as judgement', 'judgement.item_id', 'item.id')
    .select(['item.id', 'item.title', 'item.source_name', 'item.story', 'item.category', 'item.score'])
    .select(['item.selected', 'item.directions', 'judgement.judged_at'])
    .select(['judgement.score as judged_score', 'judgement.selected as judged_selected'])
    .select(sql<ScoreTerm[] | null>`judgement.terms`.as('terms'))
    .where('item.id', '=', itemId)
    .executeTakeFirstOrThrow(() => new Failure('missing', `item ${itemId} does not exist`));
}

/** The most submissions that one search is for. */
const MOST_AT_ONCE = 25;

type Covered = Pick<Submission, 'title' | 'summary' | 'source' | 'publishedAt'>;

/** A caller who waits for the coverage of a submission. */
interface Waiting {
  submission: Covered;
  resolve: (coverage: number) => void;
  reject: (error: unknown) => void;
}

/**
 * Reads how many other sources report on the event of a submission. Those that are asked about at the same
 * moment, as a batch of a feed's entries is, share one search.
 */
class CoverageReader {
  readonly #db: Kysely<NewsTables>;
  readonly #search: StorySearch;
  /** The database also answers readers. */
  readonly #turn = pLimit(1);
  #waiting: Waiting[] = [];

  constructor(db: Kysely<NewsTables>, search: StorySearch) {
    this.#db = db;
    this.#search = search;
  }

  /** Counts the other sources that report on the same event. */
  of(submission: Covered): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ submission, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#answer(this.#waiting.splice(0)));
    });
  }

  #answer(waiting: readonly Waiting[]): void {
    for (let start = 0; start < waiting.length; start += MOST_AT_ONCE) {
      const batch = waiting.slice(start, start + MOST_AT_ONCE);
      const read = () => this.#read(batch.map(({ submission }) => submission));
      this.#turn(read).then(
        (counts) => {
          for (const [index, { resolve }] of batch.entries()) resolve(counts[index] ?? 0);
        },
        (error: unknown) => {
          for (const { reject } of batch) reject(error);
        },
      );
    }
  }

  async #read(submissions: readonly Covered[]): Promise<number[]> {
    const texts = submissions.map(({ title, summary, publishedAt, source }) => ({
      sourceName: source.name,
      title,
      originalTitle: null,
      summary,
      publishedAt,
    }));
    await this.#search.prepare(texts);
    const { found } = await this.#search.find(this.#db, texts);
    return found.map(({ candidates }, index) => coverageAmong(candidates, submissions[index]?.source.name));
  }
}

/** Limits of a day's requests to a model, shared by all workers. */
export interface DailyBudget {
  requests: number;
  tokens: number;
}

/** Use of a model on one day. */
export type ModelUsage = DailyBudget;

/** The budget is divided into this many parts, one for digests and the others for articles. */
const PARTS_WITH_DIGESTS: RawBuilder<number> = sql.lit(2);

/** Counts what a model is asked for, in the database, so that workers share one budget. */
export class BudgetStore implements ModelBudget {
  readonly #db: Kysely<NewsTables>;
  readonly #budget: DailyBudget;
  readonly #calendar: Calendar;

  constructor(db: Kysely<NewsTables>, calendar: Calendar, budget: DailyBudget) {
    this.#db = db;
    this.#calendar = calendar;
    this.#budget = budget;
  }

  /**
   * Takes one request and an estimate of its tokens from the day's budget; false if that is not left, or not
   * for this spender. Everybody has a first request a day, while the budget lasts.
   */
  take(spender: Spender, tokens: number, now: Date): Promise<boolean> {
    const { requests: mostRequests, tokens: mostTokens } = this.#budget;
    const day = this.#calendar.date(now);
    const parts = spender === 'digests' ? PARTS_WITH_DIGESTS : PARTS;
    return this.#db.transaction().execute(async (tx) => {
      await lockUntilCommit(tx, 'count the budget');
      const { rows } = await sql`
        with own as (
          select coalesce(max(requests), 0) as requests, coalesce(max(tokens), 0) as tokens, ${parts} as parts
          from news.editorial_share where day = ${day}::date and spender = ${nameOf(spender)}
        ), total as (
          insert into news.editorial_budget as spent (day, requests, tokens)
          select ${day}::date, 1, ${tokens}::bigint from own
          where ${mostRequests}::integer >= 1 and ${mostTokens}::bigint >= ${tokens}::bigint and (
            own.requests = 0 or (
              own.requests < ceil(${mostRequests}::float8 / parts)
              and own.tokens + ${tokens}::bigint <= ${mostTokens}::float8 / parts
            )
          )
          on conflict (day) do update set requests = spent.requests + 1, tokens = spent.tokens + excluded.tokens
          where spent.requests < ${mostRequests}::integer and spent.tokens + excluded.tokens <= ${mostTokens}::bigint
          returning day
        )
        insert into news.editorial_share as own (day, spender, requests, tokens)
        select day, ${nameOf(spender)}, 1, ${tokens}::bigint from total
        on conflict (day, spender) do update
          set requests = own.requests + 1, tokens = own.tokens + excluded.tokens
        returning day
      `.execute(tx);
      return rows.length > 0;
    });
  }

  /** Replaces the estimate of a request with the tokens that it used. */
  async settle(spender: Spender, estimate: number, used: number, now: Date): Promise<void> {
    const day = this.#calendar.date(now);
    await sql`
      with own as (
        update news.editorial_share set tokens = greatest(0, tokens + ${used - estimate}::bigint)
        where day = ${day}::date and spender = ${nameOf(spender)}
      )
      update news.editorial_budget set tokens = greatest(0, tokens + ${used - estimate}::bigint)
      where day = ${day}::date
    `.execute(this.#db);
  }
}

/** A spender as `news.editorial_share` names it. */
function nameOf(spender: Spender): string {
  return spender === 'digests' ? spender : `source ${spender.sourceId}`;
}

/** Returns the use of the model on a day, `YYYY-MM-DD`. */
export async function modelUsage(db: Kysely<NewsTables>, day: string): Promise<ModelUsage> {
  const { rows } = await sql<ModelUsage>`
    select requests, tokens::float8 as tokens from news.editorial_budget where day = ${day}::date
  `.execute(db);
  return rows[0] ?? { requests: 0, tokens: 0 };
}

/** An article that is to be selected. */
interface Applicant {
  article: string;
  sourceId: number;
}

/**
 * Takes a place in the quota of `day` (`YYYY-MM-DD`) for an article; true if it has one. An article
 * that is judged again keeps its place, and workers never take more than `quota` together, nor more than its
 * part ({@link PARTS}) for one source.
 */
export function takeSlot(
  db: Kysely<NewsTables>,
  { article, sourceId }: Applicant,
  quota: number,
  day: string,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockUntilCommit(tx, 'count the quota');
    const { rows } = await sql<{ has: boolean }>`
      with taken as (
        select count(*) as places, count(*) filter (where source = ${sourceId}) as own
        from news.editorial_slot where day = ${day}::date
      )
      insert into news.editorial_slot (day, article, source)
      select ${day}::date, ${article}, ${sourceId}::bigint from taken
      where places < ${quota}::integer and own < ceil(${quota}::float8 / ${PARTS})
      on conflict do nothing
      returning true as has
    `.execute(tx);
    if (rows.length > 0) return true;
    const known = await sql`
      select from news.editorial_slot where day = ${day}::date and article = ${article}
    `.execute(tx);
    return known.rows.length > 0;
  });
}

/**
 * With this many active sources or more, each may use an equal part: with fewer, the quota would stay unused.
 */
const MOST_PARTS = 4;

/**
 * Parts of a day's quota, divided among the sources: one for a single source, and up to four. A source may
 * use one of them, so that none uses up the quota of all. For a statement.
 */
const PARTS: RawBuilder<number> = sql<number>`(
  select greatest(1, count(*)) from (
    select from news.source where state = 'active' limit ${sql.lit(MOST_PARTS)}
  ) as active
)`;

/** Days that answers are kept. */
const KEPT_DAYS = 30;

/** Remembers what a model has answered, for all workers. */
export class AnswerStore implements AnswerMemory {
  readonly #db: Kysely<NewsTables>;

  constructor(db: Kysely<NewsTables>) {
    this.#db = db;
  }

  async find(hash: Buffer): Promise<unknown> {
    const row = await this.#db
      .selectFrom('news.editorial_answer')
      .select(sql<unknown>`answer`.as('answer'))
      .where('hash', '=', hash)
      .executeTakeFirst();
    return row?.answer;
  }

  async keep(hash: Buffer, answer: object, now: Date): Promise<void> {
    await this.#db
      .insertInto('news.editorial_answer')
      .values({ hash, answer: JSON.stringify(answer), answered_at: now })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute();
    const outdated = new Date(now.getTime() - KEPT_DAYS * 24 * 60 * 60 * 1000);
    await this.#db.deleteFrom('news.editorial_answer').where('answered_at', '<', outdated).execute();
  }
}

/** Takes tokens from what titles may use on a day, `YYYY-MM-DD`; false if they are not left. */
async function takeForEmbeddings(
  db: Kysely<NewsTables>,
  day: string,
  tokens: number,
  mostTokens: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into news.editorial_share as own (day, spender, requests, tokens)
    select ${day}::date, 'embeddings', 1, ${tokens}::bigint where ${tokens}::bigint <= ${mostTokens}::bigint
    on conflict (day, spender) do update
      set requests = own.requests + 1, tokens = own.tokens + excluded.tokens
      where own.tokens + excluded.tokens <= ${mostTokens}::bigint
    returning day
  `.execute(db);
  return rows.length > 0;
}

/** Corrects what a request was thought to use, by so many tokens. */
async function settleEmbeddings(db: Kysely<NewsTables>, day: string, tokens: number): Promise<void> {
  await sql`
    update news.editorial_share set tokens = greatest(0, tokens + ${tokens}::bigint)
    where day = ${day}::date and spender = 'embeddings'
  `.execute(db);
}

/** Returns what embedding titles has used on a day, `YYYY-MM-DD`. */
export async function embeddingUsage(
  db: Kysely<NewsTables>,
  day: string,
): Promise<{ requests: number; tokens: number }> {
  const { rows } = await sql<{ requests: number; tokens: number }>`
    select requests, tokens::float8 as tokens from news.editorial_share
    where day = ${day}::date and spender = 'embeddings'
  `.execute(db);
  return rows[0] ?? { requests: 0, tokens: 0 };
}
