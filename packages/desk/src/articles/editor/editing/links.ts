import { type Command, type EditorState, TextSelection } from 'prosemirror-state';
import { isLinkAddress } from '../html/urls.ts';
import { markType } from '../schema/schema.ts';

/** A link in the article, or where one would be. */
export interface LinkPlace {
  readonly from: number;
  readonly to: number;
  readonly href: string;
  readonly text: string;
}

/** The link at the cursor, else what is selected. */
export function linkPlace(state: EditorState): LinkPlace {
  const { $from, from, to } = state.selection;
  const type = markType('link');
  const after = $from.parent.childAfter($from.parentOffset);
  const before = $from.parent.childBefore($from.parentOffset);
  const mark = type.isInSet(after.node?.marks ?? []) ?? type.isInSet(before.node?.marks ?? []);
  if (!mark || !$from.parent.isTextblock)
    return { from, to, href: '', text: state.doc.textBetween(from, to, ' ') };
  const linked: [start: number, end: number][] = [];
  $from.parent.forEach((node, offset) => {
    if (!mark.isInSet(node.marks)) return;
    const last = linked.at(-1);
    if (last?.[1] === offset) last[1] += node.nodeSize;
    else linked.push([offset, offset + node.nodeSize]);
  });
  const at = $from.parentOffset;
  const [start, end] = linked.find(([start, end]) => start <= at && at <= end) ?? [at, at];
  const [linkFrom, linkTo] = [$from.start() + start, $from.start() + end];
  return {
    from: linkFrom,
    to: linkTo,
    href: mark.attrs.href ?? '',
    text: state.doc.textBetween(linkFrom, linkTo, ' '),
  };
}

/**
 * Links what stands at a place, or writes the text there first; without an address it takes the link away.
 * Refused if content would refuse the address.
 */
export function setLink({ from, to, text }: Omit<LinkPlace, 'href'>, href: string): Command {
  return (state, dispatch) => {
    if (href !== '' && !isLinkAddress(href)) return false;
    const { tr } = state;
    const end = from === to ? from + text.length : to;
    if (from === to && (text === '' || !state.doc.resolve(from).parent.inlineContent)) return false;
    if (from === to) tr.insertText(text, from);
    const old = state.doc.rangeHasMark(from, to, markType('link')) ? linkPlace(state).href : '';
    if (old !== href || href === '') tr.removeMark(from, end, markType('link'));
    if (href !== '') tr.addMark(from, end, markType('link').create({ href }));
    tr.setSelection(TextSelection.near(tr.doc.resolve(end), -1)).removeStoredMark(markType('link'));
    dispatch?.(tr.scrollIntoView());
    return true;
  };
}
