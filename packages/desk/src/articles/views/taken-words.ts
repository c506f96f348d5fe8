import { problemWords } from '../../shared/views/problem-view.tsx';
import type { App } from '../app-context.ts';
import { type FieldName, type Fields, labelOf } from '../state/fields.ts';
import type { OpenArticle, Taken } from '../state/open-article.ts';
import type { Texts } from '../text/texts.ts';

/** A field of an article in words. */
export function fieldWords({ terms, texts }: App, fields: Fields, field: FieldName): string {
  if (field === 'category')
    return terms.categories.value.find(({ id }) => id === fields.category)?.name ?? '';
  if (field === 'corrections')
    return fields.corrections.map(({ at, text }) => `${texts.date(Date.parse(at))} ${text}`).join('\n');
  return texts.list([fields[field]].flat());
}

/** The sentences that say which fields were taken up from whom. */
export function takenWords(taken: Taken, texts: Texts): string {
  const { say } = texts;
  const list = new Intl.ListFormat(texts.language.peek());
  const each = [...taken].map(([who, fields]) =>
    say('takenFrom', {
      who: who === undefined ? say('somebody') : texts.name(who),
      fields: list.format(fields.map((field) => say(labelOf(field)))),
    }),
  );
  return [...each, say('takenHere')].join(' ');
}

/**
 * Why nothing was done that somebody asked for, or what was taken up from others meanwhile.
 *
 * @param before what had been taken up when it was asked for
 */
export function reasonWords(open: OpenArticle, before: Taken | undefined, texts: Texts): string {
  const problem = open.problem.peek();
  const taken = open.taken.peek();
  if (problem === undefined) return texts.say('notSavedYet');
  const isTaken = problem.code === 'changed_meanwhile' && taken !== undefined && taken !== before;
  return isTaken ? takenWords(taken, texts) : problemWords(problem, texts.say);
}
