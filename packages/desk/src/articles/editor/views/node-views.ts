import type { NodeViewConstructor } from 'prosemirror-view';
import { canShow } from '../../../shared/state/store.ts';
import { siteOfEmbed } from '../editing/embeds.ts';
import { isDecorative } from '../editing/figures.ts';
import { inertElement } from '../html/inert-element.ts';
import type { EditorTexts } from '../text/editor-texts.ts';

/** A box that stands for something which the editing surface does not show. */
function box(tag: 'div' | 'span', title: string, words: string): HTMLElement {
  const dom = document.createElement(tag);
  dom.className = 'rich-text-box';
  dom.contentEditable = 'false';
  const head = dom.appendChild(document.createElement('strong'));
  head.textContent = title;
  const excerpt = dom.appendChild(document.createElement('span'));
  excerpt.textContent = words;
  return dom;
}

function pictureView(texts: EditorTexts): NodeViewConstructor {
  return (node) => {
    const { src, alt, width, height } = node.attrs;
    if (!canShow(src)) return { dom: box('span', alt ?? '', src) };
    const image = document.createElement('img');
    image.src = src;
    image.alt = alt ?? '';
    if (Number(width) > 0) image.width = Number(width);
    if (Number(height) > 0) image.height = Number(height);
    if (isDecorative(node.attrs)) image.setAttribute('role', 'presentation');
    else if (alt === null || alt === '') image.title = texts.say('editorNoAlt');
    return { dom: image };
  };
}

function islandView(texts: EditorTexts): NodeViewConstructor {
  return ({ attrs, isInline }) => {
    const name = /^<([\w:-]+)/.exec(attrs.html)?.[1] ?? '';
    const words = (inertElement(attrs.html, document).textContent ?? '').trim().slice(0, 160);
    return { dom: box(isInline ? 'span' : 'div', texts.say('editorKept', { name }), words) };
  };
}

/** A player as it will look, by its name and its site: the page's policy loads nothing from other hosts. */
function embedView(texts: EditorTexts): NodeViewConstructor {
  return ({ attrs: { src, title } }) => {
    const dom = box('div', title ?? texts.say('editorEmbed'), siteOfEmbed(src));
    dom.classList.add('rich-text-player');
    dom.title = src;
    return { dom };
  };
}

/** Placeholders for nodes that are not shown as they are written. */
export function nodeViews(texts: EditorTexts): Record<string, NodeViewConstructor> {
  return {
    embed: embedView(texts),
    image: pictureView(texts),
    inline_island: islandView(texts),
    island: islandView(texts),
    picture: pictureView(texts),
  };
}
