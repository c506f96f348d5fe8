import { toHtml } from 'hast-util-to-html';
import { h } from 'hastscript';
import type { Quote, Report } from '../../report.ts';
import type { Words } from '../../words.ts';

/** A report as HTML: headings, paragraphs and links, with every text escaped. */
export function reportHtml({ lead, sections, flashes }: Report, { inBrief }: Pick<Words, 'inBrief'>): string {
  const parts = [
    ...(lead === null ? [] : [h('p', h('strong', lead.title)), h('p', lead.leadParagraph)]),
    ...sections.flatMap(({ label, items }) => [
      h('h2', label),
      ...items.flatMap((item) => [
        h('h3', link(item)),
        h('p', item.summary),
        h('p', h('small', item.source)),
      ]),
    ]),
    ...(flashes.length === 0
      ? []
      : [
          h('h2', inBrief),
          h(
            'ul',
            flashes.map((flash) => h('li', link(flash), ` (${flash.source})`)),
          ),
        ]),
  ];
  return toHtml(h(null, parts));
}

function link({ title, originalUrl }: Quote) {
  return h('a', { href: originalUrl }, title);
}
