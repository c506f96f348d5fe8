import { closeHistory } from 'prosemirror-history';
import type { Attrs, Node } from 'prosemirror-model';
import { type Command, type EditorState, TextSelection } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { attributeText, isEmbedAddress, isLinkAddress, isPictureAddress } from '../html/urls.ts';
import { markType, nodeType, schema } from '../schema/schema.ts';
import { insertBlock } from './blocks.ts';
import { pictureNode } from './figures.ts';

/** The forms that a page can take, as the dialog asks for it. */
export interface FoundEmbed {
  /** The site, if it is known for its players; others are cards unless somebody wants them otherwise. */
  readonly provider: string | null;
  readonly frame: Frame | null;
  readonly card: Card | null;
}

interface Frame {
  readonly src: string;
  readonly title: string;
  /** In px. */
  readonly width: number;
  readonly height: number;
}

interface Card {
  readonly url: string;
  readonly title: string;
  readonly site: string;
  readonly text: string | null;
  readonly picture: string | null;
}

/** Addresses of pages with videos, where these can be embedded, and how players are told where to begin. */
const PLAYERS: readonly (readonly [page: RegExp, player: string, start: string])[] = [
  [
    /^https?:\/\/(?:www\.|m\.)?youtube\.com\/(?:watch\?(?:.*&)?v=|shorts\/|live\/)([\w-]+)/,
    'https://www.youtube-nocookie.com/embed/{id}',
    '?start={s}',
  ],
  [/^https?:\/\/youtu\.be\/([\w-]+)/, 'https://www.youtube-nocookie.com/embed/{id}', '?start={s}'],
  [/^https?:\/\/(?:www\.)?vimeo\.com\/(\d+)/, 'https://player.vimeo.com/video/{id}', '#t={s}s'],
  [
    /^https?:\/\/(?:www\.)?bilibili\.com\/video\/(BV\w+)/,
    'https://player.bilibili.com/player.html?bvid={id}',
    '&t={s}',
  ],
];

/**
 * The address to embed for the address of a page, which is the same where the page can be embedded itself.
 */
export function embedAddress(address: string): string {
  for (const [page, player, start] of PLAYERS) {
    const id = page.exec(address)?.[1];
    if (id === undefined) continue;
    const seconds = startOf(address);
    const from = seconds === 0 ? '' : start.replace('{s}', String(seconds));
    return player.replace('{id}', id) + from;
  }
  return address;
}

/**
 * Where an address says to begin, in s, such as `t=42`, `t=42s`, `t=1m2s` and `start=42`, also behind `#`.
 */
function startOf(address: string): number {
  const given = /[?&#](?:t|start)=([\dhms]{1,12})(?=[&#]|$)/.exec(address)?.[1] ?? '';
  const [, h = 0, m = 0, s = 0] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?$/.exec(given) ?? [];
  return Number(h) * 3600 + Number(m) * 60 + Number(s);
}

/** Hosts of frames whose sites have a name of their own. */
const SITES: readonly (readonly [host: string, name: string])[] = [
  ['youtube-nocookie.com', 'YouTube'],
  ['youtube.com', 'YouTube'],
  ['vimeo.com', 'Vimeo'],
  ['bilibili.com', 'bilibili'],
  ['dailymotion.com', 'Dailymotion'],
  ['spotify.com', 'Spotify'],
  ['soundcloud.com', 'SoundCloud'],
  ['bsky.app', 'Bluesky'],
  ['twitter.com', 'X'],
  ['tiktok.com', 'TikTok'],
  ['flickr.com', 'Flickr'],
  ['codepen.io', 'CodePen'],
];

/** The site of an embed, by its name, or else its host. */
export function siteOfEmbed(src: string): string {
  const host = URL.parse(src, location.href)?.hostname ?? src;
  const known = SITES.find(([one]) => host === one || host.endsWith(`.${one}`));
  return known?.[1] ?? host.replace(/^www\./, '');
}

/** Embeds the document at an address of another host. */
export function insertEmbed(address: string, title: string): Command {
  return insertFrame({ src: embedAddress(address.trim()), title, width: 640, height: 360 });
}

export function insertFrame(frame: Frame): Command {
  if (!isEmbedAddress(frame.src)) return () => false;
  return insertBlock(nodeType('embed'), frameAttributes(frame));
}

function frameAttributes({ src, title, width, height }: Frame): Attrs {
  const size = { width: String(width), height: String(height) };
  // Some players refuse to play for a page that does not say which site it is of.
  const kept = {
    ...size,
    loading: 'lazy',
    allowfullscreen: '',
    referrerpolicy: 'strict-origin-when-cross-origin',
  };
  return { src, title: attributeText(title) || null, kept };
}

export function insertCard(card: Card): Command {
  const node = cardNode(card);
  return node === undefined ? () => false : insertBlock(node.type, node.attrs, node.content);
}

/** A page as text with a link, which is edited like any other. */
function cardNode({ url, title, site, text, picture }: Card): Node | undefined {
  if (!isLinkAddress(url) || title.trim() === '') return undefined;
  const paragraph = nodeType('paragraph');
  const link = markType('link').create({ href: url });
  const small = markType('inline').create({ tag: 'small' });
  const shown = picture !== null && isPictureAddress(picture);
  return nodeType('container').create({ kept: { class: 'embed-card' } }, [
    ...(shown
      ? [nodeType('figure').create(null, pictureNode({ src: picture, alt: '', isDecorative: true }))]
      : []),
    paragraph.create(null, schema.text(title, [link])),
    ...(text === null ? [] : [paragraph.create(null, schema.text(text))]),
    ...(site === '' ? [] : [paragraph.create(null, schema.text(site, [small]))]),
  ]);
}

/** True where a pasted address can become an embed: in an empty paragraph between others. */
export function canEmbedHere({ selection: { $from, empty } }: EditorState): boolean {
  const { parent, depth } = $from;
  return empty && depth === 1 && parent.type.name === 'paragraph' && parent.content.size === 0;
}

/** Writes an address as a link to itself. */
export function writeAddress(address: string): Command {
  return (state, dispatch) => {
    const text = schema.text(address, [markType('link').create({ href: address })]);
    dispatch?.(state.tr.replaceSelectionWith(text, false).scrollIntoView());
    return true;
  };
}

/**
 * Makes an embed of an address that still stands in its paragraph alone, which one undo takes back. Returns
 * false if there is none, or nothing to make of it.
 */
export function embedAddressOf(view: EditorView, address: string, found: FoundEmbed): boolean {
  const { state } = view;
  const place = placeOf(state.doc, address);
  const { provider, frame, card } = found;
  const isFramed = frame !== null && (provider !== null || card === null) && isEmbedAddress(frame.src);
  const node = isFramed ? nodeType('embed').create(frameAttributes(frame)) : card && cardNode(card);
  if (place === undefined || !node || view.composing) return false;
  const end = place.pos + place.node.nodeSize;
  const isLast = end === state.doc.content.size;
  const isInside = state.selection.from > place.pos && state.selection.to < end;
  const after = isLast ? [nodeType('paragraph').create()] : [];
  const tr = closeHistory(state.tr).replaceWith(place.pos, end, [node, ...after]);
  if (isInside) tr.setSelection(TextSelection.near(tr.doc.resolve(place.pos + node.nodeSize), 1));
  view.dispatch(tr);
  return true;
}

function placeOf(doc: Node, address: string): { node: Node; pos: number } | undefined {
  let found: { node: Node; pos: number } | undefined;
  doc.forEach((node, pos) => {
    const [first, ...others] = node.children;
    const isAlone = node.type.name === 'paragraph' && others.length === 0 && first?.text === address;
    if (isAlone && first.marks.some(({ attrs }) => attrs.href === address)) found = { node, pos };
  });
  return found;
}
