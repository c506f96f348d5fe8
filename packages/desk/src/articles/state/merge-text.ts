import { blockChanges } from '../editor/editing/block-changes.ts';
import { inertElement } from '../editor/html/inert-element.ts';
import { normalForm } from '../editor/html/normal-form.ts';
import { isBlockName } from '../editor/schema/elements.ts';

/** Blocks of a merged text, or what the two have made of the same blocks, each in another way. */
export type TextPart = string | { readonly mine: string; readonly theirs: string };

export type TextChoice = 'mine' | 'theirs' | 'both';

const TAG = /<!--.*?-->|<(\/?)([a-z][^\s/>]*)(?:"[^"]*"|'[^']*'|[^'">])*>/gis;

const VOID = /^(?:area|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/;

/**
 * Brings together what two have made of a text, by paragraphs, headings, lists and other blocks as wholes.
 * Parts that neither has changed stay mine, byte for byte.
 */
export function mergeTexts(
  base: string,
  mine: string,
  theirs: string,
  document: Document = globalThis.document,
): TextPart[] {
  const known = new Map<string, string>();
  const keyOf = (html: string) => {
    const key = known.get(html) ?? lookOf(html, document);
    known.set(html, key);
    return key;
  };
  const before = blocksOf(base).map(keyOf);
  const [a, b] = [new Side(before, blocksOf(mine), keyOf), new Side(before, blocksOf(theirs), keyOf)];
  const parts: TextPart[] = [];
  for (let from = 0, to: number; from <= 2 * before.length; from = to) {
    to = from + 1;
    for (let place = from; place < to; place += 1) to = Math.max(to, a.endOf(place), b.endOf(place));
    const [ours, others] = [a.html(from, to), b.html(from, to)];
    if (!b.isChanged(from, to) || keyOf(ours) === keyOf(others)) parts.push(ours);
    else parts.push(a.isChanged(from, to) ? { mine: ours, theirs: others } : others);
  }
  return parts;
}

/** The look of a block to readers: two with the same are the same. */
export function lookOf(html: string, document: Document): string {
  return normalForm(inertElement(html, document)).join('\n');
}

/** The text once it is decided what it says where the two disagree: mine, theirs, or theirs and then mine. */
export function textFrom(parts: readonly TextPart[], choice: TextChoice): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return choice === 'both' ? part.theirs + asBlock(part.mine) : part[choice];
    })
    .join('');
}

/** A version of the text by places of the base: blocks at odd ones, the gaps around them at even ones. */
class Side {
  readonly #at: string[][];
  /** The end of each change, by its start. */
  readonly #ends = new Map<number, number>();

  constructor(before: readonly string[], blocks: readonly string[], keyOf: (block: string) => string) {
    this.#at = Array.from({ length: 2 * before.length + 1 }, () => []);
    let [old, now] = [0, 0];
    const keep = (until: number) => {
      while (old < until) this.#at[2 * old++ + 1] = blocks.slice(now, ++now);
    };
    for (const { at, removed, from, added } of blockChanges(before, blocks.map(keyOf))) {
      keep(at);
      const start = removed === 0 ? 2 * at : 2 * at + 1;
      this.#at[start] = blocks.slice(from, from + added);
      this.#ends.set(start, removed === 0 ? start + 1 : 2 * (at + removed));
      [old, now] = [at + removed, from + added];
    }
    keep(before.length);
  }

  /** The end of the change that starts there; 0 if none does. */
  endOf(place: number): number {
    return this.#ends.get(place) ?? 0;
  }

  html(from: number, to: number): string {
    return this.#at.slice(from, to).flat().join('');
  }

  isChanged(from: number, to: number): boolean {
    return this.#at.slice(from, to).some((_, index) => this.#ends.has(from + index));
  }
}

/** The blocks of a text, byte for byte; one, if its tags do not match. */
export function blocksOf(html: string): string[] {
  const blocks: string[] = [];
  const open: string[] = [];
  let from = 0;
  const cut = (at: number) => {
    const block = html.slice(from, at);
    const isBlank = block.replaceAll(/<!--.*?-->/gs, '').trim() === '';
    if (isBlank && blocks.length === 0) return;
    if (isBlank) blocks.push(blocks.pop() + block);
    else blocks.push(block);
    from = at;
  };
  for (const { 0: tag, 1: slash, 2: written, index } of html.matchAll(TAG)) {
    if (written === undefined) continue;
    const name = written.toLowerCase();
    const isClosed = VOID.test(name) || (tag.endsWith('/>') && /svg|math/.test(open.join()));
    if (slash === '' && open.length === 0 && isBlockName(name)) cut(index);
    if (slash !== '' && open.pop() !== name) return [html];
    if (slash === '' && !isClosed) open.push(name);
    else if (open.length === 0 && isBlockName(name)) cut(index + tag.length);
  }
  if (open.length > 0) return [html];
  cut(html.length);
  return blocks;
}

/** A line without an element around it would run into what stands before it. */
export function asBlock(html: string): string {
  const name = /^\s*<([a-z][^\s/>]*)/i.exec(html)?.[1] ?? '';
  return html === '' || isBlockName(name.toLowerCase()) ? html : `<p>${html}</p>`;
}
