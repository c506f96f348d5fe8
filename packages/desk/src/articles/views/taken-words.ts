import type { FieldName } from '../state/fields.ts';
import type { Taken } from '../state/open-article.ts';
import type { TextName, Texts } from '../text/texts.ts';

export const FIELD_LABELS: Readonly<Record<FieldName, TextName>> = {
  title: 'title',
  content: 'text',
  excerpt: 'excerpt',
  category: 'category',
  tags: 'tags',
  authors: 'authors',
  slug: 'slug',
  featuredImage: 'featuredImage',
  altText: 'altText',
  metaTitle: 'metaTitle',
  metaDescription: 'metaDescription',
  corrections: 'corrections',
};

/** The sentences that say which fields were taken up from whom. */
export function takenWords(taken: Taken, texts: Texts): string {
  const { say } = texts;
  const list = new Intl.ListFormat(texts.language.peek());
  const each = [...taken].map(([who, fields]) =>
    say('takenFrom', {
      who: who === undefined ? say('somebody') : texts.name(who),
      fields: list.format(fields.map((field) => say(FIELD_LABELS[field]))),
    }),
  );
  return [...each, say('takenHere')].join(' ');
}
