import type { Node } from 'prosemirror-model';

/**
 * Where a comment stands: a TextQuoteSelector of the Web Annotation Data Model, with the block to look in
 * first.
 */
export interface Anchor {
  readonly exact: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly block: number;
}

/** A part of an article, by positions of the editor. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The longest text that a comment stands at, in characters. */
const LONGEST = 1000;

/** The characters before and after it that are kept. */
const CONTEXT = 32;

/** So many characters around a text show which of several it is. */
const TELLING = 4;

/** The words of an article as one text, each block on a line, and where they are in the editor. */
export class FlatText {
  readonly #pieces: { readonly at: number; readonly pos: number; readonly size: number }[] = [];
  readonly #blocks: number[] = [];
  #text = '\n';

  constructor(doc: Node) {
    doc.descendants((block, pos) => {
      if (!block.isTextblock) return true;
      this.#blocks.push(this.#text.length);
      block.descendants((inner, at) => {
        const words = inner.isText ? (inner.text ?? '') : inner.type.name === 'hard_break' ? ' ' : '';
        if (words === '') return;
        this.#pieces.push({ at: this.#text.length, pos: pos + 1 + at, size: words.length });
        this.#text += words;
      });
      this.#text += '\n';
      return false;
    });
  }

  /** The anchor of a range; undefined if it has no words. */
  anchorOf({ from, to }: Range): Anchor | undefined {
    const within = this.#pieces.filter(({ pos, size }) => pos + size > from && pos < to);
    const [first, last] = [within[0], within.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const start = first.at + Math.max(0, from - first.pos);
    const words = this.#text.slice(start, last.at + Math.min(last.size, to - last.pos));
    const at = start + words.length - words.trimStart().length;
    const exact = [...words.trim()].slice(0, LONGEST).join('').trimEnd();
    if (exact === '') return undefined;
    const end = at + exact.length;
    const before = this.#text.slice(this.#text.lastIndexOf('\n', at - 1) + 1, at);
    const after = this.#text.slice(end, this.#text.indexOf('\n', end));
    return {
      exact,
      prefix: [...before].slice(-CONTEXT).join(''),
      suffix: [...after].slice(0, CONTEXT).join(''),
      block: this.#blockAt(at),
    };
  }

  /** Where an anchor stands now: where most of what was around it is, nearest to its block. */
  find({ exact, prefix, suffix, block }: Anchor): Range | undefined {
    const [before, after] = [`\n${prefix}`, `${suffix}\n`];
    let best: { at: number; score: number; distance: number } | undefined;
    let count = 0;
    for (let at = this.#text.indexOf(exact); at !== -1; at = this.#text.indexOf(exact, at + 1)) {
      count += 1;
      const end = at + exact.length;
      let [back, on] = [0, 0];
      while (back < before.length && this.#text[at - 1 - back] === before[before.length - 1 - back])
        back += 1;
      while (on < after.length && this.#text[end + on] === after[on]) on += 1;
      const score = back + on;
      const distance = Math.abs(this.#blockAt(at) - block);
      if (best === undefined || score > best.score || (score === best.score && distance < best.distance))
        best = { at, score, distance };
    }
    const isTelling = count === 1 || (best?.score ?? 0) >= Math.min(TELLING, before.length + after.length);
    return best !== undefined && isTelling ? this.#rangeOf(best.at, best.at + exact.length) : undefined;
  }

  #rangeOf(start: number, end: number): Range | undefined {
    const first = this.#pieces.find(({ at, size }) => at + size > start);
    const last = this.#pieces.findLast(({ at }) => at < end);
    if (first === undefined || last === undefined) return undefined;
    return {
      from: first.pos + Math.max(0, start - first.at),
      to: last.pos + Math.min(last.size, end - last.at),
    };
  }

  #blockAt(offset: number): number {
    return this.#blocks.findLastIndex((start) => start <= offset);
  }
}
