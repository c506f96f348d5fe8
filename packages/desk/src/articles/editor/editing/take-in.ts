import type { Node } from 'prosemirror-model';
import type { Transaction } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { readHtml } from '../html/read-html.ts';
import { shownIn, withoutEmpty } from '../html/without-empty.ts';
import { writeHtml } from '../html/write-html.ts';
import { nodeType } from '../schema/schema.ts';
import { blockChanges } from './block-changes.ts';

/**
 * Makes the article another one, and touches only the blocks in which that differs: the selection, comments
 * and what can be undone stay where they are. Undoing takes back what the writer has typed, and none of this.
 */
export function takeIn(view: EditorView, next: Node): void {
  const { doc, tr } = view.state;
  const [before, after] = [placed(doc), placed(next)];
  // Spaces that are lost when the text is read, as at the end of a line, are still being typed at.
  const asRead = before.map((block) => writeHtml(readHtml(htmlOf(block))));
  const changes = blockChanges(asRead, after.map(htmlOf));
  // From the end, so that places before it stay true.
  for (const { at, removed, from, added } of changes.toReversed()) {
    const [first, last, fresh] = [before[at], before[at + removed - 1], after.slice(from, from + added)];
    if (removed === 1 && added === 1 && first && fresh[0]) {
      replaceBlock(tr, first, fresh[0].node);
      continue;
    }
    const end = last === undefined ? 0 : last.pos + last.node.nodeSize;
    const start = removed === 0 ? end : (first?.pos ?? end);
    tr.replaceWith(
      start,
      end,
      fresh.map(({ node }) => node),
    );
  }
  view.dispatch(tr.setMeta('addToHistory', false));
}

interface Placed {
  readonly node: Node;
  readonly pos: number;
}

/** The blocks of an article, without paragraphs in which nothing has been written yet. */
function placed(doc: Node): Placed[] {
  const shown = new Set(shownIn(doc));
  const found: Placed[] = [];
  doc.forEach((node, pos) => {
    if (shown.has(node)) found.push({ node, pos });
  });
  return found;
}

function htmlOf({ node }: Placed): string {
  return writeHtml(nodeType('doc').create(null, withoutEmpty(node)));
}

/** Replaces a block by another one; of a line of text, only what differs. */
function replaceBlock(tr: Transaction, { node, pos }: Placed, other: Node): void {
  const start = node.content.findDiffStart(other.content);
  const end = node.content.findDiffEnd(other.content);
  if (!node.inlineContent || !node.sameMarkup(other) || start === null || end === null) {
    tr.replaceWith(pos, pos + node.nodeSize, other);
    return;
  }
  // The same letters may stand before and behind.
  const both = Math.max(0, start - Math.min(end.a, end.b));
  tr.replaceWith(pos + 1 + start, pos + 1 + end.a + both, other.content.cut(start, end.b + both));
}
