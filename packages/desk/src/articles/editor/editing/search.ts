import { closeHistory } from 'prosemirror-history';
import type { Node } from 'prosemirror-model';
import { getMatchHighlights, SearchQuery, search, setSearchState } from 'prosemirror-search';
import { type EditorState, TextSelection } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { schema } from '../schema/schema.ts';

/** The words and options of a search in the text. */
export interface Search {
  readonly words: string;
  readonly isCaseSensitive: boolean;
  readonly isWhole: boolean;
}

interface Match {
  readonly from: number;
  readonly to: number;
}

/** A selection up to this length, in characters, is what somebody looks for. */
const MOST_SELECTED = 100;

/** Marks what is looked for, until the function that it returns is called. */
export function beginSearch(view: EditorView): () => void {
  const plugin = search();
  view.updateState(view.state.reconfigure({ plugins: [...view.state.plugins, plugin] }));
  return () => {
    if (view.isDestroyed) return;
    const plugins = view.state.plugins.filter((other) => other !== plugin);
    view.updateState(view.state.reconfigure({ plugins }));
  };
}

/** The selected words, if they are of one block. */
export function selectedWords({ doc, selection: { $from, $to, from, to } }: EditorState): string {
  return $from.sameParent($to) && to - from <= MOST_SELECTED ? doc.textBetween(from, to) : '';
}

/** Looks for other words: selects the first ones from where the selection begins. */
export function lookFor(view: EditorView, { words, isCaseSensitive, isWhole }: Search): void {
  const query = new SearchQuery({
    // Lower case may have other lengths; a pattern compares sign by sign.
    search: words.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
    regexp: true,
    caseSensitive: isCaseSensitive,
    filter: isWhole ? ({ doc }, match) => isWholeWord(doc, match) : undefined,
  });
  view.dispatch(setSearchState(view.state.tr, query));
  const found = matches(view.state);
  const { from } = view.state.selection;
  select(view, found.find((match) => match.from >= from) ?? found[0]);
}

/** The number of matches, and the selected one: from 1, or 0 for none. */
export function matchCount(state: EditorState): { current: number; total: number } {
  const found = matches(state);
  return { current: found.findIndex((match) => isSelected(state, match)) + 1, total: found.length };
}

/** Selects the next match, behind the last one the first, or the one before. */
export function goToMatch(view: EditorView, way: 'next' | 'previous'): void {
  const found = matches(view.state);
  const { from, to } = view.state.selection;
  if (way === 'next') select(view, found.find((match) => match.from >= to) ?? found[0]);
  else select(view, found.findLast((match) => match.to <= from) ?? found.at(-1));
}

/** Replaces the selected match and goes to the next; without one, it only goes. */
export function replaceMatch(view: EditorView, words: string): void {
  const match = matches(view.state).find((one) => isSelected(view.state, one));
  if (match !== undefined) replace(view, [match], words);
  goToMatch(view, 'next');
}

/** Replaces all matches, which one undo takes back; returns how many there were. */
export function replaceMatches(view: EditorView, words: string): number {
  const found = matches(view.state);
  if (found.length > 0) replace(view, found, words);
  return found.length;
}

function matches(state: EditorState): Match[] {
  return getMatchHighlights(state)
    .find()
    .sort((a, b) => a.from - b.from);
}

function isSelected({ selection: { from, to } }: EditorState, match: Match): boolean {
  return match.from === from && match.to === to;
}

function select(view: EditorView, match: Match | undefined): void {
  if (match === undefined) return;
  view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, match.from, match.to)));
  // The view itself scrolls only while it has the focus.
  view.dom.querySelector('.ProseMirror-active-search-match')?.scrollIntoView({ block: 'center' });
}

/** The new words have the formats, and the link, of the first sign of the old ones. */
function replace(view: EditorView, found: readonly Match[], words: string): void {
  const { doc } = view.state;
  const tr = closeHistory(view.state.tr);
  for (const { from, to } of found.toReversed()) {
    const marks = doc.nodeAt(from)?.marks ?? [];
    if (words === '') tr.delete(from, to);
    else tr.replaceWith(from, to, schema.text(words, marks));
  }
  const [first] = found;
  if (found.length === 1 && first !== undefined)
    tr.setSelection(TextSelection.create(tr.doc, first.from + words.length));
  view.dispatch(tr);
}

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Where words begin and end in a block; languages without spaces have words, too. */
const boundaries = new WeakMap<Node, ReadonlySet<number>>();

function isWholeWord(doc: Node, { from, to }: Match): boolean {
  const $from = doc.resolve(from);
  const { parent } = $from;
  const known = boundaries.get(parent) ?? boundariesOf(parent);
  boundaries.set(parent, known);
  const start = $from.parentOffset;
  return known.has(start) && known.has(start + to - from);
}

function boundariesOf(block: Node): ReadonlySet<number> {
  const text = block.textBetween(0, block.content.size, undefined, '\uFFFC');
  return new Set([...WORDS.segment(text)].map(({ index }) => index).concat(text.length));
}
