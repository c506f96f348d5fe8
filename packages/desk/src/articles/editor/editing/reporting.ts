import type { Node } from 'prosemirror-model';
import type { EditorView } from 'prosemirror-view';
import { withoutEmpty } from '../html/without-empty.ts';
import { writeHtml } from '../html/write-html.ts';
import { type TextLength, textLength } from '../text-length.ts';

/** The pause in writing after which the article is written as HTML, in ms. */
const PAUSE_MS = 400;

/** The longest that a writer who does not pause is waited for, in ms. */
const MOST_MS = 3000;

export interface Listener {
  onChange: (html: string) => void;
  onLength?: ((length: TextLength) => void) | undefined;
}

/** Tells the page what the article has become: soon, but not at every key and not within a composition. */
export class Reporting {
  readonly #view: EditorView;
  readonly #listener: () => Listener;
  #reported: Node;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #since: number | undefined;

  constructor(view: EditorView, listener: () => Listener) {
    this.#view = view;
    this.#listener = listener;
    this.#reported = view.state.doc;
  }

  /** Takes the article as it is for one that the page knows. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#since = undefined;
    this.#reported = this.#view.state.doc;
    this.#listener().onLength?.(textLength(this.#reported));
  }

  /** True if the page does not know yet what the article has become. */
  get isDue(): boolean {
    return this.#view.state.doc !== this.#reported;
  }

  changed(): void {
    this.#since ??= performance.now();
    const left = Math.max(0, MOST_MS - (performance.now() - this.#since));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#report(), Math.min(PAUSE_MS, left));
  }

  /** Reports at once what has not been reported yet: the page may be about to go. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#since = undefined;
    if (!this.isDue) return;
    const { doc } = this.#view.state;
    this.#reported = doc;
    const { onChange, onLength } = this.#listener();
    onChange(writeHtml(withoutEmpty(doc)));
    onLength?.(textLength(doc));
  }

  #report(): void {
    // The text that an input method is about to replace is not yet part of the article.
    if (this.#view.composing) this.changed();
    else this.flush();
  }
}
