import { lift, setBlockType, wrapIn } from 'prosemirror-commands';
import type { Attrs, Fragment, Node, NodeType } from 'prosemirror-model';
import { liftListItem, wrapRangeInList } from 'prosemirror-schema-list';
import { type Command, type EditorState, NodeSelection, TextSelection } from 'prosemirror-state';
import { nodeType } from '../schema/schema.ts';

/** The innermost node of a type around the selection, and where it starts. */
export function nodeAround(state: EditorState, ...names: string[]): { node: Node; pos: number } | undefined {
  const { $from, from } = state.selection;
  if (state.selection instanceof NodeSelection && names.includes(state.selection.node.type.name))
    return { node: state.selection.node, pos: from };
  for (let depth = $from.depth; depth > 0; depth -= 1) {
    const node = $from.node(depth);
    if (names.includes(node.type.name)) return { node, pos: $from.before(depth) };
  }
  return undefined;
}

/** Makes the selected blocks ones of a type, or paragraphs if they are that already. */
export function toggleBlock(name: string, attrs: Attrs = {}): Command {
  return (state, dispatch) => {
    const { parent } = state.selection.$from;
    const isThat =
      parent.type.name === name && Object.entries(attrs).every(([key, value]) => parent.attrs[key] === value);
    return isThat
      ? setBlockType(nodeType('paragraph'))(state, dispatch)
      : setBlockType(nodeType(name), attrs)(state, dispatch);
  };
}

/** Puts the selected blocks into a quotation, or takes them out of it. */
export const toggleQuote: Command = (state, dispatch) =>
  nodeAround(state, 'blockquote') ? lift(state, dispatch) : wrapIn(nodeType('blockquote'))(state, dispatch);

/** Makes the selected blocks a list, changes the kind of their list, or takes them out of it. */
export function toggleList(name: 'bullet_list' | 'ordered_list'): Command {
  return (state, dispatch) => {
    const list = nodeAround(state, 'bullet_list', 'ordered_list');
    if (list?.node.type.name === name) return liftListItem(nodeType('list_item'))(state, dispatch);
    if (list !== undefined) {
      dispatch?.(state.tr.setNodeMarkup(list.pos, nodeType(name)));
      return true;
    }
    const range = state.selection.$from.blockRange(state.selection.$to);
    if (range === null) return false;
    const { tr } = state;
    if (!wrapRangeInList(tr, range, nodeType(name))) return false;
    dispatch?.(tr.scrollIntoView());
    return true;
  };
}

/** Puts a block in the place of the selection, or behind the block that the cursor is in. */
export function insertBlock(type: NodeType, attrs: Attrs = {}, content?: Fragment): Command {
  return (state, dispatch) => {
    const node = type.createAndFill(attrs, content);
    if (node === null) return false;
    const { $to } = state.selection;
    let depth = $to.depth;
    while (depth > 0 && !canHold($to.node(depth - 1), $to.indexAfter(depth - 1), type)) depth -= 1;
    if (depth === 0 && !(state.selection instanceof NodeSelection)) return false;
    if (dispatch === undefined) return true;
    const { tr } = state;
    const block = depth === 0 ? null : $to.node(depth);
    const isEmptyLine = block?.type.name === 'paragraph' && block.content.size === 0;
    const at = depth === 0 ? $to.pos : isEmptyLine ? $to.before(depth) : $to.after(depth);
    const end = isEmptyLine ? $to.after(depth) : at;
    tr.replaceWith(at, end, node);
    const after = at + node.nodeSize;
    // There has to be a line in which to go on writing.
    if (tr.doc.resolve(after).nodeAfter === null && tr.doc.resolve(after).parent.type.name !== 'figure')
      tr.insert(after, nodeType('paragraph').create());
    tr.setSelection(TextSelection.near(tr.doc.resolve(node.isAtom ? after : at + 1), 1));
    dispatch(tr.scrollIntoView());
    return true;
  };
}

/** What is put in while the cursor is in a caption goes behind its figure. */
function canHold(parent: Node, index: number, type: NodeType): boolean {
  return !/^fig(?:ure|caption)$/.test(parent.type.name) && parent.canReplaceWith(index, index, type);
}

/** Leaves a caption downwards. */
export const leaveCaption: Command = (state, dispatch) =>
  nodeAround(state, 'figcaption') !== undefined && leaveFigure(state, dispatch);

/** Puts the cursor behind the figure that the selection is in. */
export const leaveFigure: Command = (state, dispatch) => {
  const figure = nodeAround(state, 'figure');
  if (figure === undefined) return false;
  const after = figure.pos + figure.node.nodeSize;
  const { tr } = state;
  if (tr.doc.resolve(after).nodeAfter?.isTextblock !== true) {
    const { parent } = tr.doc.resolve(after);
    const index = tr.doc.resolve(after).index();
    if (!parent.canReplaceWith(index, index, nodeType('paragraph'))) return false;
    tr.insert(after, nodeType('paragraph').create());
  }
  dispatch?.(tr.setSelection(TextSelection.near(tr.doc.resolve(after + 1))).scrollIntoView());
  return true;
};

/** Sets the language by which a block of code is highlighted. */
export function setCodeLanguage(language: string): Command {
  return (state, dispatch) => {
    const code = nodeAround(state, 'code_block');
    if (code === undefined || !/^[\w+#.-]*$/.test(language)) return false;
    const inner = code.node.attrs.inner === false ? null : code.node.attrs.inner;
    dispatch?.(state.tr.setNodeMarkup(code.pos, null, { ...code.node.attrs, language, inner }));
    return true;
  };
}
