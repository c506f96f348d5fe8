import {
  type InputRule,
  inputRules,
  InputRule as Rule,
  textblockTypeInputRule,
  wrappingInputRule,
} from 'prosemirror-inputrules';
import type { MarkType, Node } from 'prosemirror-model';
import { isLinkAddress } from '../html/urls.ts';
import { markType, nodeType } from '../schema/schema.ts';

/** `**bold**`: what is between the signs is formatted, and the signs go. */
function markRule(pattern: RegExp, type: MarkType): InputRule {
  return new Rule(pattern, ({ tr, doc }, match, start, end) => {
    const text = match[2] ?? '';
    if (!doc.resolve(start).parent.type.allowsMarkType(type) || type.isInSet(doc.resolve(end).marks()))
      return null;
    const from = start + (match[1] ?? '').length;
    // The last sign has not been typed yet.
    const signs = (match[0].length - (match[1] ?? '').length - text.length) / 2;
    tr.delete(from + signs + text.length, end).delete(from, from + signs);
    return tr.addMark(from, from + text.length, type.create()).removeStoredMark(type);
  });
}

const link = new Rule(/\[([^\][]+)\]\(([^\s()]+)\)$/, ({ tr, schema }, match, start, end) => {
  const [, text = '', href = ''] = match;
  if (!isLinkAddress(href)) return null;
  const node = schema.text(text, [markType('link').create({ href })]);
  return tr.replaceWith(start, end, node).removeStoredMark(markType('link'));
});

const rule = new Rule(/^(?:---|———|\*\*\*)$/, ({ doc, tr }, match, start, end) => {
  const $start = doc.resolve(start);
  const { parent } = $start;
  const [index, around] = [$start.index(-1), $start.node(-1)];
  const isWhole = parent.type.name === 'paragraph' && parent.textContent.length < match[0].length;
  if (!isWhole || !around.canReplaceWith(index, index, nodeType('horizontal_rule'))) return null;
  return tr.delete(start, end).insert($start.before(), nodeType('horizontal_rule').create());
});

/** A sign that is typed in an item of its own kind of list is not needed; another one stays text. */
const signInItem = new Rule(/^\s*(?:([-*+])|\d{1,4}[.)、])\s$/, ({ doc, tr }, match, start, end) => {
  const $start = doc.resolve(start);
  if ($start.depth < 2 || $start.node(-1).type.name !== 'list_item') return null;
  const isBullet = $start.node(-2).type.name === 'bullet_list';
  const isSame = isBullet === (match[1] !== undefined) && $start.index(-1) === 0;
  return isSame ? tr.delete(start, end) : tr.insertText(' ', end);
});

/** Formats a line that is typed as in Markdown. */
export const markdownRules = inputRules({
  rules: [
    textblockTypeInputRule(/^(#{2,4})\s$/, nodeType('heading'), (match) => ({ level: match[1]?.length })),
    textblockTypeInputRule(/^#\s$/, nodeType('heading'), { level: 2 }),
    textblockTypeInputRule(/^```([\w+#.-]*)\s$/, nodeType('code_block'), (match) => ({ language: match[1] })),
    wrappingInputRule(/^\s*[>》]\s$/, nodeType('blockquote')),
    signInItem,
    wrappingInputRule(/^\s*[-*+]\s$/, nodeType('bullet_list')),
    wrappingInputRule(
      /^(\d{1,4})[.)、]\s$/,
      nodeType('ordered_list'),
      (match) => ({ kept: match[1] === '1' ? null : { start: match[1] } }),
      (match, node: Node) => node.childCount + Number(node.attrs.kept?.start ?? 1) === Number(match[1]),
    ),
    markRule(/(^|[^*])\*\*([^*\s](?:[^*]*[^*\s])?)\*\*$/, markType('strong')),
    markRule(/(^|[^*])\*([^*\s](?:[^*]*[^*\s])?)\*$/, markType('em')),
    markRule(/(^|[^\w_])_([^_\s](?:[^_]*[^_\s])?)_$/, markType('em')),
    markRule(/(^|[^~])~~([^~\s](?:[^~]*[^~\s])?)~~$/, markType('strike')),
    markRule(/(^|[^`])`([^`]+)`$/, markType('code')),
    link,
    rule,
  ],
});
