import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { ApiProblem, asProblem } from '../../shared/api/problem.ts';
import type { ContentApi, Versioned } from '../api/content.ts';
import type { Article, Review, WorkingCopy } from '../api/types.ts';
import {
  type Changes,
  changesBetween,
  differing,
  EMPTY,
  type Fields,
  fieldsOf,
  newArticle,
  refusedFields,
} from './fields.ts';
import { forgetLocal, keepLocal, keptLocal, type LocalCopy } from './local-copies.ts';

/** How long a change waits for the next one before it is saved, in ms. */
const PAUSE_MS = 2000;

/** How long a change waits before it is kept in the browser, in ms. */
const LOCAL_MS = 250;

/** How long what could not be saved for now waits for the next attempt, in ms. */
const AGAIN_MS = 10_000;

export type SaveState = 'loading' | 'clean' | 'short' | 'waiting' | 'saving' | 'failed' | 'conflict';

export interface Saving {
  /** Undefined if that is not known. */
  readonly who: string | undefined;
  /** In ms since 1970. */
  readonly at: number;
}

export interface Conflict extends Saving {
  readonly theirs: Fields;
}

/** An article that is being written: every change is kept in the browser at once and saved a little later. */
export class OpenArticle {
  readonly #api: ContentApi;
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
  #saved: Fields = EMPTY;
  #articleTag = '';
  #copyTag: string | undefined;
  #reviewTag: string | undefined;
  #id: number | undefined;
  /** The creation that was sent last, to be sent again if no answer came. */
  #creation: { readonly text: string; readonly key: string } | undefined;
  #saving: Promise<boolean> | undefined;
  #hasWritten = false;
  #isLoaded = false;
  #isLeft = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #localTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #created: (id: number) => void;

  /**
   * @param id undefined for an article that is new
   * @param created gets the id of a new article
   */
  constructor(api: ContentApi, id: number | undefined, created: (id: number) => void) {
    this.#api = api;
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

  /** Whether there are saved changes that readers do not see yet. */
  get hasCopy(): ReadonlySignal<boolean> {
    return this.#hasCopy;
  }

  /** Where the review of a draft stands; undefined where it is not known, or no draft. */
  get review(): ReadonlySignal<Review | undefined> {
    return this.#review;
  }

  /** Whether anything of it was changed from here, so that lists are out of date. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** Who has saved these changes, unless it was here. */
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

  /** Whether the browser has kept what was written last. */
  get isKept(): ReadonlySignal<boolean> {
    return this.#isKept;
  }

  /** What somebody else has saved, until the writer decides. */
  get conflict(): ReadonlySignal<Conflict | undefined> {
    return this.#conflict;
  }

  /** What this browser has kept that was never saved, until the writer decides. */
  get offered(): ReadonlySignal<LocalCopy | undefined> {
    return this.#offered;
  }

  /** Loads the article, and looks for what was written here and never saved. */
  async load(): Promise<void> {
    this.#state.value = 'loading';
    try {
      const fields = this.#id === undefined ? EMPTY : await this.#read(this.#id);
      const local = await keptLocal(this.#id);
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
    clearTimeout(this.#localTimer);
    this.#localTimer = setTimeout(() => void this.#keep(), LOCAL_MS);
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
    const isSaved = await this.#saving;
    this.#saving = undefined;
    if (!isSaved || differing(fields, this.#fields.peek()).length === 0) return isSaved;
    return this.save();
  }

  /** Takes up what this browser has kept, or forgets it. */
  decideLocal(isWanted: boolean): void {
    const local = this.#offered.peek();
    this.#offered.value = undefined;
    if (local === undefined) return;
    if (isWanted) this.edit(local.fields);
    else this.#forget();
  }

  /** Ends a conflict: what is shown replaces what the other one has saved, or gives way to it. */
  async resolve(choice: 'mine' | 'theirs'): Promise<void> {
    const conflict = this.#conflict.peek();
    if (conflict === undefined) return;
    batch(() => {
      this.#saved = conflict.theirs;
      this.#conflict.value = undefined;
      this.#state.value = 'waiting';
      if (choice === 'theirs') this.#fields.value = conflict.theirs;
    });
    await this.save();
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
    return this.#carryOut((id) => this.#api.removeCopy(id, this.#copyTag));
  }

  /** Publishes, plans or takes back, after everything is saved. */
  async change(change: Changes): Promise<boolean> {
    return this.#whenSaved(async (id) => {
      await this.#api.change(id, change, this.#articleTag);
    });
  }

  /** Takes a step in the review of what is shown, once all of it is saved. Returns why that failed. */
  async decide(state: Review['state'], comment: string | null): Promise<ApiProblem | 'unsaved' | undefined> {
    if (!(await this.save())) return 'unsaved';
    // What is under review is judged as it was shown.
    const seen = this.#review.peek()?.state === 'none' ? undefined : this.#reviewTag;
    return this.#attempt((id) => this.#api.review(id, { state, comment }, seen));
  }

  /** Assigns the article to an author, or to nobody. Returns why that failed. */
  assign(author: number | null): Promise<ApiProblem | undefined> {
    return this.#attempt((id) => this.#api.assign(id, author));
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

  /** Makes the article say again what it said in a revision. */
  async restore(revision: number): Promise<boolean> {
    return this.#whenSaved((id) => this.#api.restoreRevision(id, revision));
  }

  async #whenSaved(work: (id: number) => Promise<void>): Promise<boolean> {
    return (await this.save()) && this.#carryOut(work);
  }

  async #carryOut(work: (id: number) => Promise<void>): Promise<boolean> {
    const id = this.#id;
    if (id === undefined) return false;
    while (this.#saving !== undefined) await this.#saving;
    this.#saving = this.#work(id, work);
    const isDone = await this.#saving;
    this.#saving = undefined;
    return isDone;
  }

  /** What is typed meanwhile stays, and is saved after it. */
  async #work(id: number, work: (id: number) => Promise<void>): Promise<boolean> {
    const before = this.#fields.peek();
    try {
      await work(id);
      this.#hasWritten = true;
      const fields = await this.#read(id);
      const after = this.#fields.peek();
      const typed = differing(before, after).map((field) => [field, after[field]]);
      batch(() => {
        this.#show(fields);
        if (typed.length > 0) this.edit(Object.fromEntries(typed));
        else this.#settle();
      });
      return true;
    } catch (error) {
      await this.#refused(error);
      return false;
    }
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

  async #send(fields: Fields): Promise<boolean> {
    if (this.#id === undefined && newArticle(fields) === undefined) {
      this.#state.value = 'short';
      return false;
    }
    this.#state.value = 'saving';
    try {
      await this.#write(fields);
      this.#hasWritten = true;
      this.#saved = fields;
      this.#settle();
      return true;
    } catch (error) {
      await this.#saveOthers(fields, error);
      return false;
    }
  }

  /** Saves what else was changed where the service refuses only some of the fields, and says which. */
  async #saveOthers(fields: Fields, error: unknown): Promise<void> {
    const refused = refusedFields(error);
    const left = { ...fields, ...Object.fromEntries(refused.map((name) => [name, this.#saved[name]])) };
    if (refused.length === 0 || differing(this.#saved, left).length === 0) return this.#refused(error);
    try {
      await this.#write(left);
      this.#hasWritten = true;
      this.#saved = left;
      this.#fail(error);
    } catch (second) {
      await this.#refused(second);
    }
  }

  async #write(fields: Fields): Promise<void> {
    if (this.#id === undefined) return this.#create(fields);
    const id = this.#id;
    const article = this.#article.peek();
    if (!article?.is_published) {
      this.#articleTag = await this.#api.change(id, changesBetween(this.#saved, fields), this.#articleTag);
      if (this.#review.peek()?.state !== 'none') await this.#readReview(id);
      return;
    }
    const changes = changesBetween(fieldsOf(article), fields);
    if (Object.keys(changes).length === 0) {
      await this.#api.removeCopy(id, this.#copyTag);
      this.#copyTag = undefined;
      batch(() => {
        this.#hasCopy.value = false;
        this.#copyKey.value = undefined;
      });
      return;
    }
    // Nothing guards the first one: somebody may have saved one since the article was read.
    if (this.#copyTag === undefined && (await this.#api.readCopy(id)) !== undefined) {
      throw new ApiProblem(412, 'precondition_failed', 'there is a working copy meanwhile');
    }
    this.#copyTag = await this.#api.saveCopy(id, changes, this.#copyTag);
    batch(() => {
      this.#hasCopy.value = true;
      this.#copyKey.value = undefined;
    });
  }

  /** A creation without an answer is sent again as it was: it may have succeeded. */
  async #create(fields: Fields): Promise<void> {
    const wanted = JSON.stringify(newArticle(fields));
    this.#creation ??= { text: wanted, key: crypto.randomUUID() };
    const { text, key } = this.#creation;
    const { value } = await this.#api.create(JSON.parse(text), key).catch((error: unknown) => {
      if (error instanceof ApiProblem && !error.passes) this.#creation = undefined;
      throw error;
    });
    await forgetLocal(undefined);
    this.#id = value.id;
    const created = await this.#read(value.id);
    if (text !== wanted) {
      this.#articleTag = await this.#api.change(value.id, changesBetween(created, fields), this.#articleTag);
    }
    if (!this.#isLeft) this.#created(value.id);
  }

  #settle(): void {
    const isAll = differing(this.#saved, this.#fields.peek()).length === 0;
    batch(() => {
      this.#state.value = isAll ? 'clean' : 'waiting';
      this.#problem.value = undefined;
    });
    if (!isAll) return;
    clearTimeout(this.#localTimer);
    this.#forget();
  }

  /** Forgets what was kept, unless somebody still has to decide about it. */
  #forget(): void {
    if (this.#offered.peek() === undefined) void forgetLocal(this.#id);
  }

  async #refused(error: unknown): Promise<void> {
    const isOthers =
      error instanceof ApiProblem &&
      (error.status === 412 || error.code === 'not_published' || error.code === 'article_changed');
    if (!isOthers || this.#id === undefined) return this.#fail(error);
    try {
      const theirs = await this.#read(this.#id);
      const { who, at } = await this.#lastSaved(this.#id);
      batch(() => {
        this.#conflict.value = { theirs, who, at };
        this.#state.value = 'conflict';
      });
    } catch (failure) {
      this.#fail(failure);
    }
  }

  async #lastSaved(id: number): Promise<Saving> {
    const copy = await this.#api.readCopy(id);
    if (copy !== undefined) return savingOf(copy.value);
    const [latest] = await this.#api.revisions(id);
    return { who: latest?.key?.name ?? undefined, at: Date.parse(latest?.created_at ?? '') };
  }

  async #keep(): Promise<void> {
    this.#isKept.value = await keepLocal(this.#id, this.#fields.peek());
  }

  #fail(error: unknown): void {
    const problem = asProblem(error);
    batch(() => {
      this.#problem.value = problem;
      this.#state.value = 'failed';
    });
    if (!problem.passes || !this.#isLoaded) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), Math.max(problem.retryAfterMs ?? 0, AGAIN_MS));
  }
}

function savingOf({ key, saved_at: at }: WorkingCopy): Saving {
  return { who: key?.name ?? undefined, at: Date.parse(at) };
}
