import { isBlock, isIsland, nameOf } from './elements.ts';
import { KEPT, keptAttributes } from './kept-attributes.ts';
import { element, type WrittenMark } from './written.ts';

/** A format for one or more elements; the first is what the editor writes itself. */
function format(...tags: readonly [string, ...string[]]): WrittenMark {
  return {
    attrs: { tag: { default: tags[0] }, ...KEPT },
    parseDOM: tags.map((tag) => ({
      tag,
      getAttrs: (dom) => !isIsland(dom) && { tag, kept: keptAttributes(dom) },
    })),
    write: ({ attrs }) => element(attrs.tag, attrs.kept, 0),
  };
}

const link: WrittenMark = {
  attrs: { href: { default: null }, ...KEPT },
  inclusive: false,
  parseDOM: [
    {
      tag: 'a',
      getAttrs: (anchor) =>
        !isIsland(anchor) && { href: anchor.getAttribute('href'), kept: keptAttributes(anchor, ['href']) },
    },
  ],
  write: ({ attrs: { href, kept } }) => element('a', { ...(href !== null && { href }), ...kept }, 0),
};

/** Any other element in a line: `abbr`, `cite`, `span`, and those that no browser knows. */
const inline: WrittenMark = {
  attrs: { tag: {}, ...KEPT },
  excludes: '',
  parseDOM: [
    {
      tag: '*',
      priority: 10,
      getAttrs: (dom) => {
        const isFormat = !isBlock(dom) && !isIsland(dom);
        return isFormat && { tag: nameOf(dom), kept: keptAttributes(dom) };
      },
    },
  ],
  write: ({ attrs }) => element(attrs.tag, attrs.kept, 0),
};

/** The formats of text, from the outermost element to the innermost. */
export const marks: Readonly<Record<string, WrittenMark>> = {
  link,
  inline,
  strong: format('strong', 'b'),
  em: format('em', 'i'),
  strike: format('s', 'del', 'strike'),
  sub: { ...format('sub'), excludes: 'sub sup' },
  sup: { ...format('sup'), excludes: 'sub sup' },
  code: format('code'),
};
