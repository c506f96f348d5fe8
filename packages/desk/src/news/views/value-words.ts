import type { News } from '../news-context.ts';
import type { Say } from '../text/texts.ts';
import { selectChoices } from './fields.tsx';

/** The most characters of a value that are shown. */
const SHOWN = 80;

/** Writes a value of a member as the page does elsewhere: by labels, in the zone of the browser. */
export function valueWords(
  member: string,
  value: unknown,
  { texts, vocabulary }: Pick<News, 'texts' | 'vocabulary'>,
): string {
  const { say } = texts;
  if (member === 'digestBy') return writerWords(value, say);
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return say(value ? 'yes' : 'no');
  if (Array.isArray(value)) {
    return texts.list(value.map((one) => valueWords(member, one, { texts, vocabulary }))) || '–';
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (member === 'category') return texts.label(vocabulary.value?.categories, text);
  if (member === 'directions') return texts.label(vocabulary.value?.directions, text);
  if (member === 'select') return selectChoices(say).find(([choice]) => choice === text)?.[1] ?? text;
  if (member === 'hotPlace') return say(text === 'pinned' ? 'isPinned' : 'isHidden');
  if (/At$/.test(member) && !Number.isNaN(Date.parse(text))) return texts.date(Date.parse(text));
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function writerWords(writer: unknown, say: Say): string {
  if (writer === 'model') return say('term_model');
  return say(writer === 'rules' ? 'digestBy_rules' : 'digestBy_person');
}
