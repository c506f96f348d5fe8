import type { Node } from 'prosemirror-model';
import { type Command, type EditorState, NodeSelection, type Transaction } from 'prosemirror-state';
import { isPictureAddress } from '../html/urls.ts';
import type { KeptAttributes } from '../schema/kept-attributes.ts';
import { nodeType } from '../schema/schema.ts';
import { nodeAround } from './blocks.ts';
import { joinedCaption, type Picture, pictureNode } from './figures.ts';

/** The class of a figure whose pictures stand in a row; it is the site's to show them so. */
const ROW = 'side-by-side';

/** The most pictures of a row: on a screen of text, more are too small to be seen. */
const MOST = 3;

interface Placed {
  readonly node: Node;
  readonly pos: number;
}

/** The figure that the selection is in, if it has nothing but pictures and a caption. */
function pictureFigure(state: EditorState): Placed | undefined {
  const figure = nodeAround(state, 'figure');
  return figure !== undefined && picturesOf(figure.node) !== undefined ? figure : undefined;
}

/** The pictures of a figure, if it has nothing else but a caption. */
function picturesOf(node: Node): readonly Node[] | undefined {
  const pictures = node.children.filter(({ type }) => type.name === 'picture');
  const others = node.children.filter(({ type }) => type.name !== 'picture');
  const isPlain = node.type.name === 'figure' && others.every(({ type }) => type.name === 'figcaption');
  return isPlain && pictures.length > 0 && others.length < 2 ? pictures : undefined;
}

/** True if the selection is in pictures side by side. */
export function isInRow(state: EditorState): boolean {
  return (picturesOf(pictureFigure(state)?.node ?? state.doc)?.length ?? 0) > 1;
}

/** True if another picture can stand beside that which is selected. */
export function canAddBeside(state: EditorState): boolean {
  const count = picturesOf(pictureFigure(state)?.node ?? state.doc)?.length ?? MOST;
  return count < MOST;
}

/** Puts the picture beside the next one, or the one before; those side by side are parted again. */
export const toggleRow: Command = (state, dispatch) => {
  const figure = pictureFigure(state);
  if (figure === undefined) return false;
  return isInRow(state) ? part(state, figure, dispatch) : join(state, figure, dispatch);
};

/** Puts another picture behind the selected one, in one row. */
export function addBeside(picture: Picture): Command {
  return (state, dispatch) => {
    const figure = pictureFigure(state);
    if (figure === undefined || !canAddBeside(state) || !isPictureAddress(picture.src)) return false;
    const { selection, tr } = state;
    const isSelected = selection instanceof NodeSelection && selection.node.type.name === 'picture';
    const last = lastPictureEnd(figure);
    const at = isSelected ? selection.to : last;
    tr.insert(at, pictureNode(picture));
    tr.setNodeMarkup(figure.pos, null, { ...figure.node.attrs, kept: inRow(figure.node.attrs.kept) });
    dispatch?.(tr.setSelection(NodeSelection.create(tr.doc, at)).scrollIntoView());
    return true;
  };
}

function lastPictureEnd({ node, pos }: Placed): number {
  let end = pos + 1;
  node.forEach((child, offset) => {
    if (child.type.name === 'picture') end = pos + 1 + offset + child.nodeSize;
  });
  return end;
}

function join(state: EditorState, figure: Placed, dispatch?: (tr: Transaction) => void): boolean {
  const $pos = state.doc.resolve(figure.pos);
  const after = figure.pos + figure.node.nodeSize;
  const [next, before] = [state.doc.resolve(after).nodeAfter, $pos.nodeBefore];
  const [first, second]: [Placed, Placed] | [] = fits(figure.node, next)
    ? [figure, { node: next, pos: after }]
    : fits(figure.node, before)
      ? [{ node: before, pos: figure.pos - before.nodeSize }, figure]
      : [];
  if (first === undefined || second === undefined) return false;
  const caption = joinedCaption(captionOf(first.node), captionOf(second.node)) ?? [];
  const pictures = [first, second].flatMap(({ node }) => picturesOf(node) ?? []);
  const { attrs } = first.node;
  const row = nodeType('figure').create({ ...attrs, kept: inRow(attrs.kept) }, [...pictures, caption].flat());
  const tr = state.tr.replaceWith(first.pos, second.pos + second.node.nodeSize, row);
  const own = figure === first ? 0 : (picturesOf(first.node)?.length ?? 0);
  dispatch?.(tr.setSelection(NodeSelection.create(tr.doc, first.pos + 1 + own)).scrollIntoView());
  return true;
}

function fits(figure: Node, other: Node | null): other is Node {
  const count = (node: Node) => picturesOf(node)?.length ?? MOST + 1;
  return other !== null && count(figure) + count(other) <= MOST;
}

/** Each gets its paragraph of the caption if there are as many; else the last one keeps all of it. */
function part(state: EditorState, { node, pos }: Placed, dispatch?: (tr: Transaction) => void): boolean {
  const pictures = picturesOf(node) ?? [];
  const caption = captionOf(node);
  const isOneEach = caption?.childCount === pictures.length;
  const own = isOneEach
    ? caption.children.map((one) => nodeType('figcaption').create({ bare: true }, one))
    : [];
  const figures = pictures.map((picture, index) => {
    const isLast = index === pictures.length - 1;
    const kept = index === 0 ? outOfRow(node.attrs.kept) : null;
    const below = own[index] ?? (isLast ? caption : undefined);
    return nodeType('figure').create({ kept }, below === undefined ? picture : [picture, below]);
  });
  const tr = state.tr.replaceWith(pos, pos + node.nodeSize, figures);
  const at = selectedIndex(state, pictures);
  const before = figures.slice(0, at).reduce((size, { nodeSize }) => size + nodeSize, 0);
  dispatch?.(tr.setSelection(NodeSelection.create(tr.doc, pos + before + 1)).scrollIntoView());
  return true;
}

function captionOf(figure: Node): Node | undefined {
  return figure.children.find(({ type }) => type.name === 'figcaption');
}

/** The place of the selected picture in its row; of the first, if another thing is selected. */
function selectedIndex({ selection }: EditorState, pictures: readonly Node[]): number {
  return selection instanceof NodeSelection ? Math.max(0, pictures.indexOf(selection.node)) : 0;
}

function classesOf(kept: KeptAttributes | null): string[] {
  return (kept?.class ?? '').split(/\s+/).filter((name) => name !== '' && name !== ROW);
}

function inRow(kept: KeptAttributes | null): KeptAttributes {
  return { ...kept, class: [...classesOf(kept), ROW].join(' ') };
}

function outOfRow(kept: KeptAttributes | null): KeptAttributes | null {
  const { class: _, ...others } = kept ?? {};
  const classes = classesOf(kept);
  const all = classes.length === 0 ? others : { ...others, class: classes.join(' ') };
  return Object.keys(all).length === 0 ? null : all;
}
