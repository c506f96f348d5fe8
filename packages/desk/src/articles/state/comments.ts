import { type ReadonlySignal, signal } from '@preact/signals';
import type { Comment, CommentsApi, NewComment } from '../api/comments.ts';
import type { Anchor } from '../editor/editing/anchors.ts';
import type { CommentMarks, Places } from '../editor/editing/comment-marks.ts';

/** A comment with the answers to it. */
export interface Thread extends Comment {
  readonly answers: readonly Comment[];
}

/** The comments of an article that is open. */
export class Comments {
  readonly #api: CommentsApi;
  readonly #id: number;
  readonly #list = signal<readonly Comment[]>([]);
  readonly #lost = signal<ReadonlySet<number>>(new Set());
  #moved: Places['moved'] = new Map();
  /** The one that is looked at. */
  readonly active = signal<CommentMarks['active']>(undefined);
  /** The place of the comment being written, or null for the whole article. */
  readonly draft = signal<Anchor | null | undefined>(undefined);
  readonly showsResolved = signal(false);

  constructor(api: CommentsApi, id: number) {
    this.#api = api;
    this.#id = id;
  }

  get list(): ReadonlySignal<readonly Comment[]> {
    return this.#list;
  }

  /** Those whose text is gone. */
  get lost(): ReadonlySignal<ReadonlySet<number>> {
    return this.#lost;
  }

  /** The threads that are shown, in the order of the text. */
  get threads(): readonly Thread[] {
    const all = this.#list.value;
    return all
      .filter((one) => one.parent_id === null && (one.resolved_at === null || this.showsResolved.value))
      .map((one) => ({ ...one, answers: all.filter(({ parent_id: parent }) => parent === one.id) }))
      .sort((one, other) => (one.anchor?.block ?? -1) - (other.anchor?.block ?? -1) || one.id - other.id);
  }

  async load(): Promise<void> {
    const found = await this.#api.list(this.#id);
    // Unchanged parts are not drawn again.
    if (JSON.stringify(found) !== JSON.stringify(this.#list.peek())) this.#list.value = found;
  }

  async add(comment: NewComment, key: string): Promise<number> {
    const { id } = await this.#api.add(this.#id, comment, key);
    await this.load();
    return id;
  }

  async edit(id: number, text: string): Promise<void> {
    await this.#api.change(this.#id, id, { text });
    await this.load();
  }

  async resolve(id: number, isResolved: boolean): Promise<void> {
    await this.#api.change(this.#id, id, { is_resolved: isResolved });
    await this.load();
  }

  async remove(id: number): Promise<void> {
    await this.#api.remove(this.#id, id);
    await this.load();
  }

  /** Hears what has become of the places in the text. */
  place({ lost, moved }: Places): void {
    this.#moved = moved;
    const before = this.#lost.peek();
    if (lost.size !== before.size || [...lost].some((id) => !before.has(id))) this.#lost.value = lost;
  }

  /** Keeps where the comments stand in the text that was just saved. */
  async settle(): Promise<void> {
    const moved = [...this.#moved];
    this.#moved = new Map();
    const mayMove = new Set(
      this.#list.peek().flatMap(({ id, may }) => (may.includes('resolve') ? [id] : [])),
    );
    const moving = moved.filter(([id]) => mayMove.has(id));
    if (moving.length === 0) return;
    await Promise.all(moving.map(([id, anchor]) => this.#api.change(this.#id, id, { anchor })));
    await this.load();
  }
}
