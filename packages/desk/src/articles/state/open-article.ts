import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { type ContentApi, isSameVersion, type Versioned } from '../api/content.ts';
import type { Article, Review, Revision, WorkingCopy } from '../api/types.ts';
import {
  type Changes,
  changesBetween,
  differing,
  EMPTY,
  type FieldName,
  type Fields,
  fieldsOf,
  MEMBERS,
  newArticle,
  pick,
  refusedFields,
} from './fields.ts';
import type { Creation, LocalCopies, LocalCopy } from './local-copies.ts';
import { type Merge, mergeFields } from './merge.ts';
import type { TextChoice } from './merge-text.ts';

/** The pause after a change before it is saved, in ms. */
const PAUSE_MS = 2000;

/** The pause before another attempt to save, in ms. */
const AGAIN_MS = 10_000;

export type SaveState = 'loading' | 'clean' | 'waiting' | 'saving' | 'failed' | 'conflict';

export interface Saving {
  /** Undefined if that is not known. */
  readonly who: string | undefined;
  /** In ms since 1970. */
  readonly at: number;
}

/** The fields in which something of others was taken up, by who changed them last, if that is known. */
export type Taken = ReadonlyMap<string | undefined, readonly FieldName[]>;

/** A version of somebody else, beside the one from which both have begun. */
interface Others {
  readonly base: Fields;
  readonly theirs: Fields;
  /** The version that the service has. */
  readonly kept: Fields;
}

export interface Conflict extends Others, LastSaving {
  /** Brings a version that was written here together with theirs. */
  readonly merge: (mine: Fields) => Merge;
}

interface LastSaving extends Saving {
  readonly by: (field: FieldName) => string | undefined;
}

const UNKNOWN: LastSaving = { who: undefined, at: Number.NaN, by: () => undefined };

/** Why nothing goes on as if the writer had seen what was taken up from others. */
const CHANGED = new ApiProblem(412, 'changed_meanwhile', 'somebody else has changed the article');
const PUBLISHED = new ApiProblem(412, 'published_meanwhile', 'the article has been published');
const TAKEN_BACK = new ApiProblem(412, 'taken_back_meanwhile', 'the article is no longer published');

/** An article that is being written: every change is kept in the browser at once and saved a little later. */
export class OpenArticle {
  readonly #api: ContentApi;
  readonly #copies: LocalCopies;
  readonly #fields = signal<Fields>(EMPTY);
  readonly #article = signal<Article | undefined>(undefined);
  readonly #hasCopy = signal(false);
  readonly #review = signal<Review | undefined>(undefined);
  readonly #copyKey = signal<Saving | undefined>(undefined);
  readonly #state = signal<SaveState>('loading');
  readonly #problem = signal<ApiProblem | undefined>(undefined);
  readonly #conflict = signal<Conflict | undefined>(undefined);
  readonly #isKept = signal(false);
  readonly #offered = signal<LocalCopy | undefined>(undefined);
  readonly #taken = signal<Taken | undefined>(undefined);
  #saved: Fields = EMPTY;
  #articleTag = '';
  #copyTag: string | undefined;
  #reviewTag: string | undefined;
  #id: number | undefined;
  /** The creation that was sent last, to be sent again if no answer came. */
  #creation: Creation | undefined;
  /** Versions that were sent and are not known to have arrived. */
  #unanswered: Fields[] = [];
  #saving: Promise<boolean> | undefined;
  #hasWritten = false;
  #isLoaded = false;
  #isLeft = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isKeeping = false;
  readonly #created: (id: number) => void;

  /**
   * @param id undefined for an article that is new
   * @param created gets the id of a new article
   */
  constructor(api: ContentApi, copies: LocalCopies, id: number | undefined, created: (id: number) => void) {
    this.#api = api;
    this.#copies = copies;
    this.#id = id;
    this.#created = created;
  }

  /** The article's id, once it has one. */
  get id(): number | undefined {
    return this.#id;
  }

  get fields(): ReadonlySignal<Fields> {
    return this.#fields;
  }

  /** The article as readers have it, or as the draft is saved; undefined while it is new. */
  get article(): ReadonlySignal<Article | undefined> {
    return this.#article;
  }

  /** True if there are saved changes that readers do not see yet. */
  get hasCopy(): ReadonlySignal<boolean> {
    return this.#hasCopy;
  }

  /** The review of a draft; undefined if it is not known, or the article is no draft. */
  get review(): ReadonlySignal<Review | undefined> {
    return this.#review;
  }

  /** True if anything of it was changed from here, so that lists are out of date. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** The key and time of these changes, unless they were saved here. */
  get copyKey(): ReadonlySignal<Saving | undefined> {
    return this.#copyKey;
  }

  get state(): ReadonlySignal<SaveState> {
    return this.#state;
  }

  /** Why it could not be loaded or saved. */
  get problem(): ReadonlySignal<ApiProblem | undefined> {
    return this.#problem;
  }

  /** True if the browser has kept the latest text. */
  get isKept(): ReadonlySignal<boolean> {
    return this.#isKept;
  }

  /** The version that somebody else has saved, until the writer decides. */
  get conflict(): ReadonlySignal<Conflict | undefined> {
    return this.#conflict;
  }

  /** The last that was taken up from others beside what is written here. */
  get taken(): ReadonlySignal<Taken | undefined> {
    return this.#taken;
  }

  /** A copy in this browser that was never saved, until the writer decides. */
  get offered(): ReadonlySignal<LocalCopy | undefined> {
    return this.#offered;
  }

  /** Loads the article, and looks for what was written here and never saved. */
  async load(): Promise<void> {
    this.#state.value = 'loading';
    try {
      const fields = this.#id === undefined ? EMPTY : await this.#read(this.#id);
      const local = await this.#copies.read(this.#id);
      batch(() => {
        this.#show(fields);
        this.#offered.value =
          local !== undefined && differing(fields, local.fields).length > 0 ? local : undefined;
      });
      this.#isLoaded = true;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Shows what others have saved meanwhile; what is typed here stays. */
  async renew(): Promise<void> {
    await this.#whenSaved(async () => {});
  }

  /** Tries again what has failed: to load it, or to save it. */
  async retry(): Promise<void> {
    if (this.#isLoaded) await this.save();
    else await this.load();
  }

  /** Saves what is shown; a new article that gets its id from now on is not opened. */
  async leave(): Promise<void> {
    this.#isLeft = true;
    await this.save();
  }

  edit(change: Partial<Fields>): void {
    const fields = { ...this.#fields.peek(), ...change };
    batch(() => {
      this.#fields.value = fields;
      if (this.#state.peek() !== 'conflict' && this.#state.peek() !== 'saving') this.#state.value = 'waiting';
    });
    void this.#keep();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), PAUSE_MS);
  }

  /** Saves what is shown, now. Returns whether the service has all of it. */
  async save(): Promise<boolean> {
    clearTimeout(this.#timer);
    while (this.#saving !== undefined) await this.#saving;
    if (!this.#isLoaded || this.#state.peek() === 'conflict') return false;
    const fields = this.#fields.peek();
    if (differing(this.#saved, fields).length === 0) {
      this.#settle();
      return true;
    }
    this.#saving = this.#send(fields);
    const isGoingOn = await this.#saving;
    this.#saving = undefined;
    return isGoingOn && this.save();
  }

  /** Takes up what this browser has kept, beside what others have saved since, or forgets it. */
  async decideLocal(isWanted: boolean): Promise<void> {
    const local = this.#offered.peek();
    if (local === undefined) return;
    const saved = this.#saved;
    const { base = saved, fields } = local;
    try {
      const isAlone = this.#id === undefined || differing(base, saved).length === 0;
      const saving = isAlone || !isWanted ? undefined : await this.#lastSaved(this.#id ?? 0, false);
      if (isWanted && this.#id === undefined) this.#creation ??= local.creation;
      if (isWanted) await this.#join({ base, theirs: saved, kept: saved }, saving, fields);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#offered.value = undefined;
    if (!isWanted || this.#state.peek() === 'clean') this.#forget();
  }

  /**
   * Ends a conflict: where the two disagree, mine replaces theirs or gives way to it. With `both`, the text
   * has theirs and then mine, and the conflict goes on about the other fields.
   */
  async resolve(choice: TextChoice): Promise<void> {
    const conflict = this.#conflict.peek();
    if (conflict === undefined) return;
    const { base, theirs } = conflict;
    const { textFrom } = await import('./merge-text.ts');
    const mine = this.#fields.peek();
    const { disputed, text } = conflict.merge(mine);
    const decided = choice === 'both' ? (['content'] as const) : disputed;
    const fields = { ...mine, ...(choice === 'theirs' && pick(theirs, decided)) };
    this.#fields.value = text === undefined ? fields : { ...fields, content: textFrom(text, choice) };
    if (await this.#join({ ...conflict, base: { ...base, ...pick(theirs, decided) } }, conflict)) {
      await this.save();
    }
  }

  /** Makes it public: a draft as it is, or what readers do not see yet. */
  async publish(): Promise<boolean> {
    const { is_published: isPublished = false } = this.#article.peek() ?? {};
    if (!isPublished) return this.change({ is_published: true });
    return this.#whenSaved(async (id) => {
      if (this.#hasCopy.peek()) await this.#api.publishCopy(id, this.#articleTag);
    });
  }

  /** Discards what readers do not see yet. */
  async discard(): Promise<boolean> {
    return this.#carryOut((id) => this.#api.removeCopy(id, this.#copyTag), this.#fields.peek());
  }

  /** Publishes, plans or takes back, after everything is saved. */
  async change(change: Changes): Promise<boolean> {
    return this.#whenSaved(async (id) => {
      await this.#api.change(id, change, this.#articleTag);
    });
  }

  /** Takes a step in the review of what is shown, once all of it is saved. Returns why that failed. */
  async decide(state: Review['state'], comment: string | null): Promise<ApiProblem | 'unsaved' | undefined> {
    if (!(await this.#saveSeen())) return this.#problem.peek() ?? 'unsaved';
    // A review judges the version that was shown.
    const seen = this.#review.peek()?.state === 'none' ? undefined : this.#reviewTag;
    return this.#attempt((id) => this.#api.review(id, { state, comment }, seen));
  }

  /** Assigns the article to an author, or to nobody. Returns why that failed. */
  async assign(author: number | null): Promise<ApiProblem | 'unsaved' | undefined> {
    if (!(await this.save())) return 'unsaved';
    return this.#attempt((id) => this.#api.assign(id, author));
  }

  /** Sets when it is published or taken back. Returns why that failed; the text is saved all the same. */
  async plan(change: Changes): Promise<ApiProblem | undefined> {
    if (!(await this.#saveSeen())) return asProblem(this.#problem.peek());
    const before = this.#article.peek();
    const problem = await this.#attempt(async (id) => {
      await this.#api.change(id, change, this.#articleTag);
    });
    return problem?.status === 412 ? this.#overtaken(before) : problem;
  }

  /** Looks what others have decided about it, and shows it as it is then, unless something is to be saved. */
  async follow(): Promise<void> {
    const id = this.#id;
    const shown = this.#review.peek();
    if (id === undefined || this.#article.peek() === undefined || this.#saving !== undefined) return;
    try {
      const { value } = await this.#api.readReview(id);
      const isSame = shown === undefined || JSON.stringify(value) === JSON.stringify(shown);
      if (!isSame && shown === this.#review.peek() && this.#state.peek() === 'clean') await this.renew();
    } catch (error) {
      if (asProblem(error).status === 404 && this.#saving === undefined) this.#fail(error);
    }
  }

  /** Does something beside the text, and shows how the article is after it, also if that failed. */
  async #attempt(work: (id: number) => Promise<void>): Promise<ApiProblem | undefined> {
    let problem: ApiProblem | undefined;
    const isShown = await this.#carryOut((id) =>
      work(id).catch((error: unknown) => {
        problem = asProblem(error);
      }),
    );
    return problem ?? (isShown ? undefined : this.#problem.peek());
  }

  /**
   * Makes the article say again what it said in a revision. What is published says it to readers once the
   * changes are published, like all that is written here.
   */
  async restore(revision: number, said: Fields): Promise<boolean> {
    if (!this.#article.peek()?.is_published) {
      return this.#whenSaved((id) => this.#api.restoreRevision(id, revision));
    }
    if (!(await this.#saveSeen())) return false;
    // The address and the corrections are no part of what it said.
    this.edit({ ...said, ...pick(this.#fields.peek(), ['slug', 'corrections']) });
    return this.save();
  }

  async #whenSaved(work: (id: number) => Promise<void>): Promise<boolean> {
    return (await this.#saveSeen()) && this.#carryOut(work);
  }

  /** Saves what is shown; false also if that has taken up something that the writer has not seen. */
  async #saveSeen(): Promise<boolean> {
    const taken = this.#taken.peek();
    const isSaved = await this.save();
    if (taken === this.#taken.peek()) return isSaved;
    this.#problem.value = CHANGED;
    return false;
  }

  /** @param given what the writer gives up for it */
  async #carryOut(work: (id: number) => Promise<void>, given?: Fields): Promise<boolean> {
    const id = this.#id;
    if (id === undefined) return false;
    while (this.#saving !== undefined) await this.#saving;
    this.#saving = this.#work(id, work, given);
    const isDone = await this.#saving;
    this.#saving = undefined;
    return isDone;
  }

  /** Changes that are typed meanwhile stay, and are saved after it. */
  async #work(id: number, work: (id: number) => Promise<void>, given?: Fields): Promise<boolean> {
    try {
      await work(id);
      this.#hasWritten = true;
      const kept = await this.#read(id);
      await this.#join({ base: given ?? this.#saved, theirs: kept, kept });
      return true;
    } catch (error) {
      const before = this.#article.peek();
      // Also where all that is written here goes on, nobody has done what was asked for.
      if (await this.#refused(error)) this.#problem.value ??= this.#overtaken(before);
      return false;
    }
  }

  #overtaken(before: Article | undefined): ApiProblem {
    const isPublished = this.#article.peek()?.is_published;
    if (isPublished === before?.is_published) return CHANGED;
    return isPublished ? PUBLISHED : TAKEN_BACK;
  }

  #show(fields: Fields): void {
    this.#saved = fields;
    this.#fields.value = fields;
    this.#state.value = 'clean';
    this.#problem.value = undefined;
  }

  /** Reads the article and what readers do not see of it yet. */
  async #read(id: number): Promise<Fields> {
    const article = await this.#api.read(id);
    const copy = article.value.working_copy === null ? undefined : await this.#api.readCopy(id);
    await this.#readReview(id, article.value.is_published);
    return this.#take(article, copy);
  }

  async #readReview(id: number, isPublished = false): Promise<void> {
    const review = isPublished ? undefined : await this.#api.readReview(id);
    this.#reviewTag = review?.etag;
    this.#review.value = review?.value;
  }

  #take(article: Versioned<Article>, copy: Versioned<WorkingCopy> | undefined): Fields {
    this.#articleTag = article.etag;
    this.#copyTag = copy?.etag;
    batch(() => {
      this.#article.value = article.value;
      this.#hasCopy.value = copy !== undefined;
      this.#copyKey.value = copy && savingOf(copy.value);
    });
    return fieldsOf(article.value, copy?.value.changes);
  }

  /** Returns whether there is no more to do than to save again, if anything is left. */
  async #send(fields: Fields): Promise<boolean> {
    this.#state.value = 'saving';
    this.#unanswered.push(fields);
    try {
      this.#arrived(fields, await this.#write(fields));
      this.#settle();
      return true;
    } catch (error) {
      return this.#saveOthers(fields, error);
    }
  }

  #arrived(sent: Fields, kept: Fields): void {
    this.#hasWritten = true;
    this.#unanswered = [];
    this.#saved = kept;
    const shown = this.#fields.peek();
    // The slug of a draft follows its title.
    if (shown.slug === sent.slug && kept.slug !== sent.slug)
      this.#fields.value = { ...shown, slug: kept.slug };
  }

  /** Saves what else was changed where the service refuses only some of the fields, and says which. */
  async #saveOthers(fields: Fields, error: unknown): Promise<boolean> {
    const left = { ...fields, ...pick(this.#saved, refusedFields(error)) };
    if (differing(fields, left).length === 0 || differing(this.#saved, left).length === 0)
      return this.#refused(error);
    try {
      this.#arrived(left, await this.#write(left));
      this.#fail(error);
      return false;
    } catch (second) {
      return this.#refused(second);
    }
  }

  /** Returns what the service has then. */
  async #write(fields: Fields): Promise<Fields> {
    if (this.#id === undefined) return { ...fields, slug: await this.#create(fields) };
    const id = this.#id;
    const article = this.#article.peek();
    if (!article?.is_published) {
      const written = await this.#api.write(id, changesBetween(this.#saved, fields), this.#articleTag);
      this.#articleTag = written.etag;
      if (this.#review.peek()?.state !== 'none') await this.#readReview(id);
      return { ...fields, slug: written.value ?? fields.slug };
    }
    const changes = changesBetween(fieldsOf(article), fields);
    if (Object.keys(changes).length === 0) {
      await this.#api.removeCopy(id, this.#copyTag);
      this.#copyTag = undefined;
      batch(() => {
        this.#hasCopy.value = false;
        this.#copyKey.value = undefined;
      });
      return fields;
    }
    this.#copyTag = await this.#api.saveCopy(id, changes, this.#copyTag);
    batch(() => {
      this.#hasCopy.value = true;
      this.#copyKey.value = undefined;
    });
    return fields;
  }

  /** A creation without an answer is sent again as it was: it may have succeeded. Returns the slug. */
  async #create(fields: Fields): Promise<string> {
    const wanted = JSON.stringify(newArticle(fields));
    this.#creation ??= { text: wanted, key: crypto.randomUUID() };
    const { text, key } = this.#creation;
    // The page may be gone before the answer comes.
    await this.#copies.keep(undefined, { fields, base: this.#saved, creation: this.#creation });
    const { value } = await this.#api.create(JSON.parse(text), key).catch((error: unknown) => {
      if (error instanceof ApiProblem && !error.passes) this.#creation = undefined;
      throw error;
    });
    this.#id = value.id;
    this.#creation = undefined;
    await this.#copies.forget(undefined);
    const created = await this.#read(value.id);
    if (text !== wanted) {
      const { etag } = await this.#api.write(value.id, changesBetween(created, fields), this.#articleTag);
      this.#articleTag = etag;
    }
    if (!this.#isLeft) this.#created(value.id);
    return created.slug;
  }

  #settle(): void {
    const isAll = differing(this.#saved, this.#fields.peek()).length === 0;
    batch(() => {
      this.#state.value = isAll ? 'clean' : 'waiting';
      this.#problem.value = undefined;
    });
    if (!isAll) return;
    this.#forget();
  }

  /** Forgets what was kept, unless somebody still has to decide about it. */
  #forget(): void {
    if (this.#offered.peek() === undefined) void this.#copies.forget(this.#id);
  }

  /** Returns whether what somebody else has saved meanwhile is brought together with what is written here. */
  async #refused(error: unknown): Promise<boolean> {
    const isOthers =
      error instanceof ApiProblem &&
      (error.status === 412 || error.code === 'not_published' || error.code === 'article_changed');
    const id = this.#id;
    const before = this.#article.peek();
    const tags = [this.#articleTag, this.#copyTag] as const;
    if (!isOthers || id === undefined || before === undefined) return this.#fail(error);
    try {
      const kept = await this.#read(id);
      const article = this.#article.peek() ?? before;
      const isSameCopy = isSameVersion(tags[1], this.#copyTag);
      if (isSameCopy && isSameVersion(tags[0], this.#articleTag)) return this.#fail(error);
      // Where what readers do not see is ours, it is the article that somebody has changed.
      const isOurs = isSameCopy && this.#copyTag !== undefined;
      const [base, theirs] = isOurs ? [fieldsOf(before), fieldsOf(article)] : [this.#saved, kept];
      const saving = await this.#lastSaved(id, isOurs);
      return await this.#join({ base: this.#arrivedIn(base, theirs), theirs, kept }, saving);
    } catch (failure) {
      // A version that is not brought together must not be overwritten by the next attempt.
      [this.#articleTag, this.#copyTag] = tags;
      this.#article.value = before;
      return this.#fail(failure);
    }
  }

  /** The base of a merge: what was sent from here has arrived where the service has just that. */
  #arrivedIn(base: Fields, theirs: Fields): Fields {
    const arrived = this.#unanswered.flatMap((sent) => {
      const others = differing(sent, theirs);
      return differing(base, sent).filter((field) => !others.includes(field));
    });
    return { ...base, ...pick(theirs, arrived) };
  }

  /**
   * Brings what is written here together with what somebody else has saved. Returns false if that takes a
   * decision.
   *
   * @param saving undefined if it is none of the writer's concern who that was
   */
  async #join({ base, theirs, kept }: Others, saving?: LastSaving, mine?: Fields): Promise<boolean> {
    const { mergeTexts } = await import('./merge-text.ts');
    const merge = (written: Fields) => mergeFields(base, written, theirs, mergeTexts);
    const written = mine ?? this.#fields.peek();
    const { fields, taken, disputed } = merge(written);
    const isDecided = disputed.length === 0;
    batch(() => {
      this.#fields.value = isDecided ? fields : written;
      this.#conflict.value = isDecided ? undefined : { ...(saving ?? UNKNOWN), base, theirs, kept, merge };
      if (!isDecided) {
        this.#state.value = 'conflict';
        return;
      }
      this.#unanswered = [];
      this.#saved = kept;
      this.#settle();
      if (this.#state.peek() === 'waiting') this.edit({});
      if (saving !== undefined && taken.length > 0) {
        this.#taken.value = Map.groupBy(taken, saving.by);
        this.#problem.value = CHANGED;
      }
    });
    return isDecided;
  }

  /** Says who has changed the article last, and each of its fields. */
  async #lastSaved(id: number, isArticle: boolean): Promise<LastSaving> {
    const copy = isArticle ? undefined : this.#copyKey.peek();
    if (copy !== undefined) return { ...copy, by: () => copy.who };
    const revisions = await this.#api.revisions(id);
    const nameOf = (revision: Revision | undefined) => revision?.key?.name ?? undefined;
    return {
      who: nameOf(revisions[0]),
      at: Date.parse(revisions[0]?.created_at ?? ''),
      by: (field) =>
        nameOf(revisions.find(({ changed }) => changed === null || changed.includes(MEMBERS[field]))),
    };
  }

  /** Keeps what is shown in the browser, and then what has been written meanwhile. */
  async #keep(): Promise<void> {
    if (this.#isKeeping) return;
    this.#isKeeping = true;
    let kept: Fields | undefined;
    while (kept !== this.#fields.peek() && this.#state.peek() !== 'clean') {
      kept = this.#fields.peek();
      const copy = { fields: kept, base: this.#saved, creation: this.#creation };
      this.#isKept.value = await this.#copies.keep(this.#id, copy);
    }
    this.#isKeeping = false;
  }

  #fail(error: unknown): false {
    const problem = asProblem(error);
    batch(() => {
      this.#problem.value = problem;
      this.#state.value = 'failed';
    });
    if (!problem.passes || !this.#isLoaded) return false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), Math.max(problem.retryAfterMs ?? 0, AGAIN_MS));
    return false;
  }
}

function savingOf({ key, saved_at: at }: WorkingCopy): Saving {
  return { who: key?.name ?? undefined, at: Date.parse(at) };
}
