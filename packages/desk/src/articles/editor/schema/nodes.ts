import type { Attrs, NodeSpec, TagParseRule } from 'prosemirror-model';
import { tableNodes } from 'prosemirror-tables';
import { sourceOf } from '../html/inert-element.ts';
import { CONTAINERS, isBlock, isIsland, nameOf, startsWithLine } from './elements.ts';
import { KEPT, type KeptAttributes, keptAttributes } from './kept-attributes.ts';
import { element, type Written, type WrittenNode } from './written.ts';

/**
 * True if the first paragraph in a node is written without `p` around it: `<li>text</li>` and
 * `<li><p>text</p></li>` look different, so the editor writes what it has read.
 */
const BARE = (byDefault: boolean) => ({ bare: { default: byDefault } });

/** A node for one or more elements that contain blocks. */
function around(tags: readonly string[], bare: boolean, spec: NodeSpec): WrittenNode {
  const tag: NodeSpec['attrs'] = tags.length > 1 ? { tag: { default: tags[0] } } : {};
  return {
    content: 'block+',
    defining: true,
    ...spec,
    attrs: { ...BARE(bare), ...tag, ...KEPT },
    parseDOM: tags.map((name) => ({
      tag: name,
      getAttrs: (dom) => ({
        ...(tags.length > 1 && { tag: name }),
        bare: startsWithLine(dom),
        kept: keptAttributes(dom),
      }),
    })),
    write: ({ attrs }) => element(attrs.tag ?? tags[0], attrs.kept, 0),
  };
}

/** A node for an element without content that is shown between lines. */
function plain(tag: string, spec: NodeSpec): WrittenNode {
  return {
    ...spec,
    attrs: { ...KEPT, ...spec.attrs },
    parseDOM: [{ tag, getAttrs: (dom) => ({ kept: keptAttributes(dom) }) }],
    write: ({ attrs, isLeaf }) => (isLeaf ? element(tag, attrs.kept) : element(tag, attrs.kept, 0)),
  };
}

const LEVELS = [1, 2, 3, 4, 5, 6];

const heading: WrittenNode = {
  group: 'block',
  content: 'inline*',
  defining: true,
  attrs: { level: { default: 2 }, ...KEPT },
  parseDOM: LEVELS.map((level) => ({
    tag: `h${level}`,
    getAttrs: (dom) => ({ level, kept: keptAttributes(dom) }),
  })),
  write: ({ attrs }) => element(`h${attrs.level}`, attrs.kept, 0),
};

/** The class by which highlighters know the language of a `code`. */
const LANGUAGE = /^language-([\w+#.-]+)$/;

const codeBlock: WrittenNode = {
  group: 'block',
  content: 'text*',
  marks: '',
  code: true,
  defining: true,
  // `inner` are the attributes of the `code` in it; without one it is false.
  attrs: { language: { default: '' }, inner: { default: null }, ...KEPT },
  parseDOM: [
    {
      tag: 'pre',
      preserveWhitespace: 'full',
      getAttrs: (pre) => {
        if (isIsland(pre)) return false;
        const code = pre.querySelector('code');
        const language = LANGUAGE.exec(code?.className ?? '')?.[1] ?? '';
        const inner = code === null ? false : keptAttributes(code, language === '' ? [] : ['class']);
        return { language, inner, kept: keptAttributes(pre) };
      },
    },
  ],
  write: ({ attrs: { language, inner, kept } }) => {
    if (inner === false) return element('pre', kept, 0);
    const marked = language === '' ? {} : { class: `language-${language}` };
    return element('pre', kept, element('code', { ...marked, ...inner }, 0));
  },
};

const PICTURE = ['src', 'alt', 'width', 'height'];

const pictureAttributes = {
  src: {},
  alt: { default: null },
  width: { default: null },
  height: { default: null },
  // Of the `picture` around the image: its attributes and those of each `source`.
  around: { default: null },
  ...KEPT,
};

function readPicture(element: Element): Attrs | false {
  const image = nameOf(element) === 'img' ? element : element.querySelector('img');
  if (image?.hasAttribute('src') !== true) return false;
  const named = PICTURE.map((name) => [name, image.getAttribute(name)]);
  const sources = [...element.querySelectorAll('source')].map((source) => keptAttributes(source) ?? {});
  const around = image === element ? null : { kept: keptAttributes(element) ?? {}, sources };
  return { ...Object.fromEntries(named), around, kept: keptAttributes(image, PICTURE) };
}

function writePicture({ attrs }: { attrs: Attrs }): Written {
  const named = PICTURE.filter((name) => attrs[name] !== null).map((name) => [name, String(attrs[name])]);
  const image = element('img', { ...Object.fromEntries(named), ...attrs.kept });
  if (attrs.around === null) return image;
  const sources = attrs.around.sources.map((source: KeptAttributes) => element('source', source));
  return element('picture', attrs.around.kept, ...sources, image);
}

function pictureRules(rule: Omit<TagParseRule, 'tag'>): TagParseRule[] {
  return ['picture', 'img'].map((tag) => ({ ...rule, tag, getAttrs: readPicture }));
}

const embed: WrittenNode = {
  group: 'block',
  attrs: { src: {}, title: { default: null }, ...KEPT },
  parseDOM: [
    {
      tag: 'iframe[src]',
      getAttrs: (frame) =>
        !isIsland(frame) && {
          src: frame.getAttribute('src'),
          title: frame.getAttribute('title'),
          kept: keptAttributes(frame, ['src', 'title']),
        },
    },
  ],
  write: ({ attrs: { src, title, kept } }) =>
    element('iframe', { src, ...(title !== null && { title }), ...kept }),
};

/** An element that the editor keeps as it is; `html` is its source. */
function island(group: 'block' | 'inline'): WrittenNode {
  return {
    group,
    inline: group === 'inline',
    atom: true,
    attrs: { html: {} },
    parseDOM: [
      {
        tag: '*',
        priority: 80,
        getAttrs: (dom) => isIsland(dom) && isBlock(dom) === (group === 'block') && { html: sourceOf(dom) },
      },
    ],
    // The writer writes the source itself, and the editing surface has a view.
    write: () => element(group === 'block' ? 'div' : 'span', null),
  };
}

/**
 * The part of a table that a row stands in: only the first rows can be its head, only the last ones its foot.
 */
const SECTIONS = ['thead', 'tbody', 'tfoot'];

const table = tableNodes({
  tableGroup: 'block',
  cellContent: 'block+',
  cellAttributes: {},
});

function cell(tag: 'td' | 'th', spec: NodeSpec): WrittenNode {
  const spans = ['colspan', 'rowspan'];
  return {
    ...spec,
    attrs: { ...spec.attrs, ...BARE(true), ...KEPT },
    parseDOM: [
      {
        tag,
        getAttrs: (dom) => ({
          ...Object.fromEntries(spans.map((name) => [name, Number(dom.getAttribute(name)) || 1])),
          bare: startsWithLine(dom),
          kept: keptAttributes(dom, spans),
        }),
      },
    ],
    write: ({ attrs }) => {
      const written = spans.filter((name) => attrs[name] !== 1).map((name) => [name, String(attrs[name])]);
      return element(tag, { ...Object.fromEntries(written), ...attrs.kept }, 0);
    },
  };
}

const tables: Record<string, WrittenNode> = {
  table: {
    ...table.table,
    attrs: { caption: { default: null }, ...KEPT },
    parseDOM: [
      {
        tag: 'table',
        getAttrs: (dom) => ({
          caption: dom.querySelector(':scope > caption')?.textContent ?? null,
          kept: keptAttributes(dom),
        }),
      },
      { tag: 'caption', ignore: true, priority: 90 },
    ],
    // Only for the editing surface: the writer puts rows into the parts of the table.
    write: ({ attrs: { caption, kept } }) =>
      element(
        'table',
        kept,
        ...(caption === null ? [] : [element('caption', { contenteditable: 'false' }, caption)]),
        element('tbody', null, 0),
      ),
  },
  table_row: {
    ...table.table_row,
    attrs: { section: { default: 'tbody' }, ...KEPT },
    parseDOM: [
      {
        tag: 'tr',
        getAttrs: (row) => {
          const section = row.parentNode === null ? '' : nameOf(row.parentNode);
          return { section: SECTIONS.includes(section) ? section : 'tbody', kept: keptAttributes(row) };
        },
      },
    ],
    write: ({ attrs }) => element('tr', attrs.kept, 0),
  },
  table_cell: cell('td', table.table_cell),
  table_header: cell('th', table.table_header),
};

/** The nodes of an article. The first block is the one that a new line becomes. */
export const nodes: Readonly<Record<string, WrittenNode>> = {
  doc: { content: 'block+' },
  paragraph: plain('p', { group: 'block', content: 'inline*' }),
  heading,
  blockquote: around(['blockquote'], false, { group: 'block' }),
  code_block: codeBlock,
  bullet_list: plain('ul', { group: 'block', content: 'list_item+' }),
  ordered_list: plain('ol', { group: 'block', content: 'list_item+' }),
  list_item: around(['li'], true, {}),
  horizontal_rule: plain('hr', { group: 'block' }),
  // Its picture may be a link.
  figure: {
    ...plain('figure', { group: 'block', content: 'figcaption? (picture | block)+ figcaption?', marks: '_' }),
    isolating: true,
    defining: true,
  },
  figcaption: around(['figcaption'], true, { isolating: true }),
  picture: {
    attrs: pictureAttributes,
    draggable: true,
    parseDOM: pictureRules({ context: 'figure/', priority: 60 }),
    write: writePicture,
  },
  embed,
  ...tables,
  container: around(
    CONTAINERS.toSorted((a, b) => Number(b === 'div') - Number(a === 'div')),
    false,
    {
      group: 'block',
    },
  ),
  island: island('block'),
  text: { group: 'inline' },
  image: {
    group: 'inline',
    inline: true,
    draggable: true,
    attrs: pictureAttributes,
    parseDOM: pictureRules({}),
    write: writePicture,
  },
  hard_break: { ...plain('br', { group: 'inline', inline: true }), selectable: false },
  inline_island: island('inline'),
};
