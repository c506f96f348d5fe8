import { type Attrs, Fragment, type Mark, type Node } from 'prosemirror-model';
import { type Command, type EditorState, NodeSelection, type Transaction } from 'prosemirror-state';
import { attributeText, isPictureAddress } from '../html/urls.ts';
import type { KeptAttributes } from '../schema/kept-attributes.ts';
import { markType, nodeType, schema } from '../schema/schema.ts';
import { insertBlock } from './blocks.ts';

export interface Picture {
  readonly src: string;
  readonly alt: string;
  /** True if it says nothing that the text does not say: people who hear the page do not hear of it. */
  readonly isDecorative?: boolean;
  readonly width?: number;
  readonly height?: number;
  /** Takes the file back out of the gallery, if it was uploaded for this place. */
  readonly takeBack?: () => void;
}

/** The caption and credit below a picture. */
export interface Captions {
  /** Undefined for one with formats or several paragraphs, which is written in the text. */
  readonly caption: string | undefined;
  /** Who made it. */
  readonly credit: string;
}

/** A picture that says nothing, as ARIA and HTML have it. */
const DECORATIVE = /^(?:presentation|none)$/;

const CREDIT = markType('inline').create({ tag: 'small', kept: { class: 'credit' } });

/** The picture that is selected, and what stands below it, if it is in a figure; undefined without one. */
export function selectedPicture({
  selection,
}: EditorState): { picture: Picture; captions: Captions | undefined } | undefined {
  if (!(selection instanceof NodeSelection)) return undefined;
  const { attrs, type } = selection.node;
  if (type.name !== 'picture' && type.name !== 'image') return undefined;
  const captions =
    type.name === 'picture' ? captionsOf(figureCaption(selection.$from.parent)?.node) : undefined;
  const { src, alt, width, height } = attrs;
  return {
    picture: { src, alt: alt ?? '', isDecorative: isDecorative(attrs), width, height },
    captions,
  };
}

/** True for the attributes of a picture that is marked as one that says nothing. */
export function isDecorative({ alt, kept }: Attrs): boolean {
  return alt === '' && DECORATIVE.test(kept?.role ?? '');
}

function figureCaption(figure: Node): { node: Node; offset: number } | undefined {
  let found: { node: Node; offset: number } | undefined;
  figure.forEach((node, offset) => {
    if (node.type.name === 'figcaption') found = { node, offset };
  });
  return found;
}

function isCredit({ marks }: Node): boolean {
  return marks.some(
    ({ type, attrs }) =>
      type === CREDIT.type && attrs.tag === 'small' && /(?:^|\s)credit(?:\s|$)/.test(attrs.kept?.class ?? ''),
  );
}

function captionsOf(figcaption: Node | undefined): Captions {
  if (figcaption === undefined) return { caption: '', credit: '' };
  const last = figcaption.lastChild?.children ?? [];
  const words = last.filter((node) => !isCredit(node));
  const isPlain =
    figcaption.childCount === 1 && words.every((node) => node.isText && node.marks.length === 0);
  const textOf = (nodes: readonly Node[]) =>
    nodes
      .map((node) => node.textContent)
      .join('')
      .trim();
  return { caption: isPlain ? textOf(words) : undefined, credit: textOf(last.filter(isCredit)) };
}

/** A caption with other words, or another credit at its end; undefined if nothing is left of it. */
function captionWith(old: Node | undefined, { caption, credit }: Captions): Node | undefined {
  const last = old?.lastChild?.isTextblock === true ? old.lastChild : undefined;
  const words =
    caption === undefined
      ? (last?.children.filter((node) => !isCredit(node)) ?? [])
      : textsOf(trimmed(caption));
  const by = textsOf(trimmed(credit), CREDIT);
  const space =
    by.length > 0 && words.length > 0 && !/\s$/.test(words.at(-1)?.text ?? ' ') ? textsOf(' ') : [];
  const line = Fragment.from([...words, ...space, ...by]);
  if (line.size === 0 && (old === undefined || old.childCount < 2)) return undefined;
  const paragraph = last?.copy(line) ?? nodeType('paragraph').create(null, line);
  const before = caption !== undefined ? [] : (old?.children.filter((node) => node !== last) ?? []);
  return nodeType('figcaption').create(old?.attrs, [...before, ...(line.size > 0 ? [paragraph] : [])]);
}

/** The captions of two figures as one; one that is only the credit of the other is left out. */
export function joinedCaption(first: Node | undefined, second: Node | undefined): Node | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  if (captionsOf(first).credit === captionsOf(second).credit) {
    if (isOnlyCredit(second)) return first;
    if (isOnlyCredit(first)) return second;
  }
  const blocks = [...first.children, ...second.children];
  return nodeType('figcaption').create({ bare: false }, blocks);
}

function isOnlyCredit(figcaption: Node): boolean {
  const { caption, credit } = captionsOf(figcaption);
  return caption === '' && credit !== '';
}

function textsOf(text: string, ...marks: Mark[]): Node[] {
  return text === '' ? [] : [schema.text(text, marks)];
}

/** Words of a field, without space around them. */
function trimmed(text: string): string {
  return text.toWellFormed().trim();
}

/** The attributes of a picture that a field or the gallery decides. */
function described({ alt, isDecorative = false }: Picture, kept: KeptAttributes | null): Attrs {
  const { role, ...others } = kept ?? {};
  const isLeft = role !== undefined && !DECORATIVE.test(role);
  const all = isDecorative ? { ...others, role: 'presentation' } : isLeft ? { ...others, role } : others;
  return {
    alt: isDecorative ? '' : attributeText(alt),
    kept: Object.keys(all).length === 0 ? null : all,
  };
}

function sizeOf({ width, height }: Picture): Attrs {
  return width && height ? { width: String(width), height: String(height) } : { width: null, height: null };
}

/** The node of a picture from elsewhere. */
export function pictureNode(picture: Picture): Node {
  return nodeType('picture').create({ src: picture.src, ...sizeOf(picture), ...described(picture, null) });
}

export function insertFigure(picture: Picture, captions: Captions): Command {
  if (!isPictureAddress(picture.src)) return () => false;
  const caption = captionWith(undefined, captions);
  const parts = [pictureNode(picture), ...(caption === undefined ? [] : [caption])];
  return insertBlock(nodeType('figure'), {}, Fragment.from(parts));
}

/** Changes the selected picture, by another one too, and what stands below it. */
export function describePicture(picture: Picture, captions: Captions | undefined): Command {
  return (state, dispatch) => {
    const { selection, tr } = state;
    const old = selectedPicture(state);
    if (!(selection instanceof NodeSelection) || old === undefined || !isPictureAddress(picture.src))
      return false;
    const { attrs } = selection.node;
    if (picture.src === old.picture.src)
      tr.setNodeMarkup(selection.from, null, { ...attrs, ...described(picture, attrs.kept) });
    else {
      // Other sizes of the old picture would be shown instead of the new one.
      const { srcset: _, sizes: __, ...kept } = attrs.kept ?? {};
      const other = { src: picture.src, around: null, ...sizeOf(picture), ...described(picture, kept) };
      tr.setNodeMarkup(selection.from, null, { ...attrs, ...other });
    }
    const isSame = captions?.caption === old.captions?.caption && captions?.credit === old.captions?.credit;
    if (captions !== undefined && !isSame) setCaption(tr, selection, captions);
    dispatch?.(tr.setSelection(NodeSelection.create(tr.doc, tr.mapping.map(selection.from))));
    return true;
  };
}

function setCaption(tr: Transaction, { $from }: NodeSelection, captions: Captions): void {
  const old = figureCaption($from.parent);
  const caption = captionWith(old?.node, captions);
  const at = old === undefined ? $from.end() : $from.start() + old.offset;
  tr.replaceWith(at, at + (old?.node.nodeSize ?? 0), caption ?? []);
}
