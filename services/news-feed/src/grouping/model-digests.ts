import { createHash } from 'node:crypto';
import type { Logger } from '@pressroom/common/log/logging';
import {
  ANSWER_TOKENS,
  ChatEndpoint,
  type ChatQuestion,
  digestAnswer,
  digestQuestion,
  EndpointFault,
  InventedFact,
  readDigest,
  readsLikeInstruction,
} from '@pressroom/stories';
import { languageOfText } from '@pressroom/stories/words';
import { type Kysely, sql } from 'kysely';
import type { Calendar, Clock } from '../calendar.ts';
import type { NewsTables } from '../tables.ts';
import type { Vocabulary } from '../words.ts';
import { AnswerStore, BudgetStore, type EditorialModel, modelOf } from './judging.ts';
import { readReports, type StoryReport } from './story-renewal.ts';

const STORIES_AT_ONCE = 20;

/** Hours that a story waits for a model that does not answer; after that the rules' digest stays. */
const WAIT_HOURS = 24;

/** Pause after a fault without `Retry-After`, in milliseconds. */
const PAUSE_MS = 60_000;

/** After this many stories refused in a row, the fault is taken to be the endpoint's own. */
const MOST_REFUSED = 3;

interface ModelDigestsParts extends EditorialModel {
  db: Kysely<NewsTables>;
  /** Determines the days of the budget. */
  calendar: Calendar;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}

/** Opens the model that rewrites digests, if the settings name one. */
export function openDigests(
  config: Parameters<typeof modelOf>[0],
  {
    vocabulary,
    ...parts
  }: Omit<ModelDigestsParts, 'calendar' | keyof EditorialModel> & { vocabulary: Vocabulary },
): ModelDigests | undefined {
  const model = modelOf(config);
  return model && new ModelDigests({ ...parts, ...model, calendar: vocabulary.calendar });
}

/** The reason why the rules' digest of a story stays, and the part of the answer or refusal that shows it. */
type Refusal = { why: 'invented' | 'form' | 'endpoint'; detail: string } | { why: 'report'; detail: null };

/** A story whose digest a model may rewrite. */
interface DueStory {
  public_id: string;
  title: string;
  digest: string;
  digest_updated_at: Date;
  /** The model's own digest before, and the reports that it knows. */
  previous: string | null;
  item_ids: string[] | null;
}

/**
 * Lets a model rewrite the digests of stories, from its previous digest and the reports since. An answer that
 * cites what is not in these is dropped, and the digest of the rules stays; so it does while the model does
 * not answer or its budget is spent.
 */
export class ModelDigests {
  readonly #parts: ModelDigestsParts;
  readonly #model: ChatEndpoint;
  readonly #budget: BudgetStore;
  readonly #answers: AnswerStore;
  #pausedUntil = 0;
  #refused = 0;

  constructor(parts: ModelDigestsParts) {
    this.#parts = parts;
    this.#model = new ChatEndpoint(parts.settings);
    this.#budget = new BudgetStore(parts.db, parts.calendar, parts.budget);
    this.#answers = new AnswerStore(parts.db);
  }

  async areDue(): Promise<boolean> {
    if (this.#parts.clock().getTime() < this.#pausedUntil) return false;
    return (await this.#due(1)).length > 0;
  }

  /** Has the stories that wait rewritten, until none is left or the model is to be left alone. */
  async rewrite(signal: AbortSignal): Promise<void> {
    for (;;) {
      const due = await this.#due(STORIES_AT_ONCE);
      if (due.length === 0) return;
      for (const story of due) {
        signal.throwIfAborted();
        if (!(await this.#rewriteOne(story, signal))) return;
      }
    }
  }

  async #due(limit: number): Promise<DueStory[]> {
    const { db, clock } = this.#parts;
    const since = new Date(clock().getTime() - WAIT_HOURS * 3_600_000);
    const { rows } = await sql<DueStory>`
      select story.public_id, story.title, story.digest, story.digest_updated_at, model.digest as previous, model.item_ids
      from news.story left join news.story_model_digest as model on model.story = story.public_id
      where digest_by = 'rules' and digest_updated_at > ${since} and merged_into is null
        and (model.asked_for is null or model.asked_for < story.digest_updated_at)
      order by digest_updated_at desc, public_id limit ${limit}
    `.execute(db);
    return rows;
  }

  /** Returns false if the model is to be left alone. */
  async #rewriteOne(story: DueStory, signal: AbortSignal): Promise<boolean> {
    const { public_id } = story;
    const reports = (await readReports(this.#parts.db, [public_id])).get(public_id) ?? [];
    const fresh = reports.filter(({ id }) => !story.item_ids?.includes(id));
    const question = digestQuestion(this.#parts.language, story, fresh);
    const given = JSON.stringify(question.data);
    if (fresh.length === 0 || fresh.some(isInstruction)) {
      await this.#keep(
        story,
        reports,
        undefined,
        fresh.length === 0 ? null : { why: 'report', detail: null },
      );
      return true;
    }
    const hash = createHash('sha256')
      .update(JSON.stringify([this.#parts.settings.model, question]))
      .digest();
    const known = await this.#remembered(hash, given);
    let digest: string | undefined;
    let refusal: Refusal | null = null;
    try {
      const text = known ?? (await this.#ask(question, signal));
      if (text === undefined) return false;
      const { instruction } = question;
      const languages = fresh.map(({ title, language }) => languageOfText(title, language));
      digest = readDigest(text, { instruction, given, languages, language: this.#parts.languageTag });
      if (known === undefined) await this.#answers.keep(hash, { digest }, this.#parts.clock());
    } catch (error) {
      if (!(error instanceof EndpointFault)) throw error;
      this.#parts.log.warn({ story: public_id, reason: error.message }, 'digest_refused');
      refusal = refusalOf(error);
    }
    await this.#keep(story, reports, digest, refusal);
    return true;
  }

  /**
   * The model's answer; undefined if it gave none, and is to be left alone. Throws {@link EndpointFault} for
   * a question that the endpoint refuses.
   */
  async #ask(question: ChatQuestion, signal: AbortSignal): Promise<string | undefined> {
    const { clock, log } = this.#parts;
    const now = clock();
    const estimate = Math.ceil(JSON.stringify(question).length / 2) + ANSWER_TOKENS;
    if (!(await this.#budget.take('digests', estimate, now))) {
      this.#pausedUntil = now.getTime() + PAUSE_MS;
      return undefined;
    }
    try {
      const { text, tokens } = await this.#model.ask(question, signal);
      await this.#budget.settle('digests', estimate, tokens ?? estimate, now);
      this.#refused = 0;
      return text;
    } catch (error) {
      if (!(error instanceof EndpointFault)) throw error;
      this.#refused = error.isOfQuestion ? this.#refused + 1 : 0;
      if (error.isOfQuestion && this.#refused < MOST_REFUSED) throw error;
      this.#refused = 0;
      log.warn({ reason: error.message }, 'digests_paused');
      this.#pausedUntil = now.getTime() + (error.pauseMs ?? PAUSE_MS);
      return undefined;
    }
  }

  async #remembered(hash: Buffer, given: string): Promise<string | undefined> {
    const known = digestAnswer(given).safeParse(await this.#answers.find(hash)).data;
    return known && JSON.stringify(known);
  }

  /** Keeps that the model was asked, and its digest, unless the story has others by now. */
  async #keep(
    story: DueStory,
    reports: readonly StoryReport[],
    digest: string | undefined,
    refusal: Refusal | null,
  ): Promise<void> {
    const { db, clock } = this.#parts;
    const ids = reports.map(({ id }) => id);
    await db.transaction().execute(async (tx) => {
      const now = clock();
      const { rows } = await sql`
        select from news.story where public_id = ${story.public_id} and digest_by = 'rules'
          and digest = ${story.digest} and digest_updated_at = ${story.digest_updated_at} for update
      `.execute(tx);
      if (rows.length === 0) return;
      // The rules may say the same without a report that was withdrawn while the model had it.
      const present = (await readReports(tx, [story.public_id])).get(story.public_id) ?? [];
      if (JSON.stringify(present) !== JSON.stringify(reports)) return;
      await sql`
        insert into news.story_model_digest as known (story, digest, item_ids, asked_for, refused_why, refused_detail)
        values (${story.public_id}, ${digest ?? null}, ${digest === undefined ? [] : ids}, ${story.digest_updated_at},
          ${refusal?.why ?? null}, ${refusal?.detail ?? null})
        on conflict (story) do update set asked_for = excluded.asked_for,
          refused_why = excluded.refused_why, refused_detail = excluded.refused_detail,
          digest = coalesce(excluded.digest, known.digest),
          item_ids = case when excluded.digest is null then known.item_ids else excluded.item_ids end
      `.execute(tx);
      if (digest === undefined) return;
      await tx
        .updateTable('news.story')
        .set({ digest, digest_by: 'model', digest_updated_at: now, updated_at: now })
        .where('public_id', '=', story.public_id)
        .execute();
    });
  }
}

function refusalOf(error: EndpointFault): Refusal {
  if (error instanceof InventedFact) return { why: 'invented', detail: error.named };
  return { why: error.isOfQuestion ? 'endpoint' : 'form', detail: error.message };
}

function isInstruction({ title, summary }: StoryReport): boolean {
  return readsLikeInstruction(`${title}\n${summary ?? ''}`);
}
