import { Fragment, type Node } from 'prosemirror-model';
import { type Command, type EditorState, NodeSelection } from 'prosemirror-state';
import { attributeText, isEmbedAddress, isPictureAddress } from '../html/urls.ts';
import { nodeType, schema } from '../schema/schema.ts';
import { insertBlock } from './blocks.ts';

export interface Picture {
  readonly src: string;
  readonly alt: string;
  readonly width?: number;
  readonly height?: number;
  /** Takes the file back out of the gallery, if it was uploaded for this place. */
  readonly takeBack?: () => void;
}

/** The picture that is selected, and the caption below it; undefined if there is none. */
export function selectedPicture({
  selection,
}: EditorState): { picture: Picture; caption: string | undefined } | undefined {
  if (!(selection instanceof NodeSelection)) return undefined;
  const { attrs, type } = selection.node;
  if (type.name !== 'picture' && type.name !== 'image') return undefined;
  const figure = type.name === 'picture' ? selection.$from.parent : undefined;
  const caption = figure && (figureCaption(figure)?.textContent ?? '');
  const { src, alt, width, height } = attrs;
  return { picture: { src, alt: alt ?? '', width, height }, caption };
}

function figureCaption(figure: Node): Node | undefined {
  return figure.children.find(({ type }) => type.name === 'figcaption');
}

function captionNode(text: string): Node {
  return nodeType('figcaption').create(null, nodeType('paragraph').create(null, schema.text(text)));
}

export function insertFigure({ src, alt, width, height }: Picture, caption: string): Command {
  const text = attributeText(alt);
  if (!isPictureAddress(src)) return () => false;
  const size = width && height ? { width: String(width), height: String(height) } : {};
  const picture = nodeType('picture').create({ src, alt: text, ...size });
  const parts = caption.trim() === '' ? [picture] : [picture, captionNode(caption.trim())];
  return insertBlock(nodeType('figure'), {}, Fragment.from(parts));
}

/** Changes the text of the selected picture, and adds a caption where there is none. */
export function describePicture(alt: string, caption: string): Command {
  return (state, dispatch) => {
    const { selection, tr } = state;
    const text = attributeText(alt);
    if (!(selection instanceof NodeSelection) || selectedPicture(state) === undefined || text === '')
      return false;
    tr.setNodeMarkup(selection.from, null, { ...selection.node.attrs, alt: text });
    const { parent } = selection.$from;
    const isFigure = parent.type.name === 'figure' && figureCaption(parent) === undefined;
    if (isFigure && caption.trim() !== '') tr.insert(selection.$from.end(), captionNode(caption.trim()));
    dispatch?.(tr.setSelection(NodeSelection.create(tr.doc, selection.from)));
    return true;
  };
}

/** Addresses of pages with videos, and where these can be embedded. */
const PLAYERS: readonly (readonly [page: RegExp, player: string])[] = [
  [
    /^https?:\/\/(?:www\.|m\.)?youtube\.com\/(?:watch\?(?:.*&)?v=|shorts\/|live\/)([\w-]+)/,
    'https://www.youtube-nocookie.com/embed/',
  ],
  [/^https?:\/\/youtu\.be\/([\w-]+)/, 'https://www.youtube-nocookie.com/embed/'],
  [/^https?:\/\/(?:www\.)?vimeo\.com\/(\d+)/, 'https://player.vimeo.com/video/'],
  [/^https?:\/\/(?:www\.)?bilibili\.com\/video\/(BV\w+)/, 'https://player.bilibili.com/player.html?bvid='],
];

/**
 * The address to embed for the address of a page, which is the same where the page can be embedded itself.
 */
export function embedAddress(address: string): string {
  for (const [page, player] of PLAYERS) {
    const id = page.exec(address)?.[1];
    if (id !== undefined) return `${player}${id}`;
  }
  return address;
}

/** Embeds the document at an address of another host. */
export function insertEmbed(address: string, title: string): Command {
  const src = embedAddress(address.trim());
  if (!isEmbedAddress(src)) return () => false;
  const kept = { width: '640', height: '360', loading: 'lazy', allowfullscreen: '' };
  return insertBlock(nodeType('embed'), { src, title: attributeText(title) || null, kept });
}
