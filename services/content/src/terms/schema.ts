import { idParameter } from '@pressroom/common/fields/parameters';
import { onOneLine, requiredText } from '@pressroom/common/fields/text';
import { z } from 'zod';
import { type FilterValues, filterParameters } from '../articles/filters.ts';
import { articleListItem, pageParameters } from '../articles/schema.ts';
import { envelope, pagedEnvelope } from '../envelope.ts';
import { newSlug, slugMember, slugParameter } from '../slug.ts';
import type { TermKind } from './kind.ts';

const timestamp = z.iso.datetime({ offset: true });

const times = { created_at: timestamp, updated_at: timestamp };

/** The members that every kind of terms has. */
export const term = z.object({ id: z.int(), name: z.string(), slug: z.string(), ...times });

/** A term with its number of published articles. */
const countedTerm = term.extend({ article_count: z.int().describe('Published articles.') });

const termArticle = articleListItem.omit({ category: true }).extend({ alt_text: z.string().nullable() });

/** A term without the members that only its kind has. */
export type Term = z.infer<typeof term>;

/** A term in the list. */
export type CountedTerm = z.infer<typeof countedTerm>;

/** A term with a page of its published articles. */
export type TermDetail = Term & { articles: z.infer<typeof termArticle>[] };

/** A term as the answer to a write shows it. */
export type WrittenTerm = Pick<Term, 'id' | 'name' | 'slug'>;

/** The values of a `POST`; those that only its kind has are not in the type. */
export interface TermCreate {
  name: string;
  slug?: string | undefined;
}

/** The values of a `PUT` or `PATCH`. */
export type TermChange = Partial<TermCreate>;

/** Path of one term. */
export const termPath = z.object({ id: idParameter() });

/** Query string of a list with pages. */
export const termPageQuery = z.strictObject({
  ...pageParameters,
  q: requiredText(100)
    .optional()
    .describe('Those with this text in their names, in any case; names that begin with it first.'),
});

/** Path of one term by its slug. */
export const termSlugPath = z.object({ slug: slugParameter() });

/** The filters of the articles of a term. */
export type TermFilters = Omit<FilterValues, TermKind['filter']['name']>;

/** The bodies and answers of the operations on a kind of terms. */
export function termSchemas({ noun, filter, written, shown }: TermKind) {
  const slug = slugMember().describe(
    `If omitted, a new ${noun} gets one from its name, and another keeps its own.`,
  );
  const own: { category_id?: true; tag?: true; author_slug?: true } = { [filter.name]: true };
  const named = { name: onOneLine(requiredText(100)), slug: slug.optional() };
  const put = z.strictObject(withMembers(named, written));
  const members = z.object(written).partial().shape;
  const create = z.strictObject(
    withMembers(
      { ...named, slug: newSlug().describe('If omitted or null, it is made from the name.') },
      members,
    ),
  );
  const patch = z
    .strictObject(withMembers(named, members))
    .partial()
    .refine((body) => Object.keys(body).length > 0, {
      message: 'must have at least one member',
      params: { code: 'required' },
    })
    .meta({ minProperties: 1 });
  const { id, name, slug: shownSlug, ...dates } = term.shape;
  const identity = { id, name, slug: shownSlug };
  const listed = withMembers(identity, shown);
  const changes = { id, ...z.object({ ...withMembers({ name, slug: shownSlug }, shown) }).partial().shape };
  return {
    /** Query string of the detail. */
    detailQuery: z.strictObject({ ...pageParameters, ...filterParameters }).omit(own),
    create,
    put,
    patch,
    listItems: z.array(z.object({ ...listed, article_count: countedTerm.shape.article_count, ...dates })),
    detailAnswer: pagedEnvelope(z.object({ ...listed, ...dates, articles: z.array(termArticle) })),
    /** Answer of `POST` and `PUT`. */
    writtenAnswer: envelope(z.object(identity)),
    /** Answer of `PATCH`: `id` and exactly what changed; `updated_at`, which always changes, is left out. */
    patchAnswer: envelope(z.object(changes)),
  };
}

/** Adds the members of a kind; the type keeps to those that every kind has. */
function withMembers<Shape extends z.ZodRawShape>(shape: Shape, members: TermKind['written']): Shape {
  return { ...shape, ...members };
}
