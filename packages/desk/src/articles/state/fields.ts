import { ApiProblem } from '../../shared/api/problem.ts';
import type { Article, Correction } from '../api/types.ts';

/** The members of an article that a writer can change; empty is unset. */
export interface Fields {
  readonly title: string;
  readonly content: string;
  readonly excerpt: string;
  readonly category: number | undefined;
  /** Their slugs, in order. */
  readonly tags: readonly string[];
  /** Their slugs, in order. */
  readonly authors: readonly string[];
  readonly slug: string;
  readonly featuredImage: string;
  readonly altText: string;
  readonly metaTitle: string;
  readonly metaDescription: string;
  readonly canonicalUrl: string;
  readonly socialTitle: string;
  readonly socialDescription: string;
  readonly socialImage: string;
  /** The newest last. */
  readonly corrections: readonly Correction[];
}

/** A new, empty article. */
export const EMPTY: Fields = {
  title: '',
  content: '',
  excerpt: '',
  category: undefined,
  tags: [],
  authors: [],
  slug: '',
  featuredImage: '',
  altText: '',
  metaTitle: '',
  metaDescription: '',
  canonicalUrl: '',
  socialTitle: '',
  socialDescription: '',
  socialImage: '',
  corrections: [],
};

export interface DraftChanges {
  title?: string;
  content?: string;
  excerpt?: string | null;
  category_id?: number | null;
  tags?: string[];
  authors?: string[];
  slug?: string;
  featured_image?: string | null;
  alt_text?: string | null;
  meta_title?: string | null;
  meta_description?: string | null;
  canonical_url?: string | null;
  social_title?: string | null;
  social_description?: string | null;
  social_image?: string | null;
  corrections?: Correction[];
}

export interface Changes extends DraftChanges {
  is_published?: boolean;
  publish_at?: string | null;
  unpublish_at?: string | null;
  release?: string | null;
}

/** A draft as the API creates it. */
export type NewArticle = DraftChanges & { title: string; content: string };

/** The member of the API behind each field. */
export const MEMBERS = {
  title: 'title',
  content: 'content',
  excerpt: 'excerpt',
  category: 'category_id',
  tags: 'tags',
  authors: 'authors',
  slug: 'slug',
  featuredImage: 'featured_image',
  altText: 'alt_text',
  metaTitle: 'meta_title',
  metaDescription: 'meta_description',
  canonicalUrl: 'canonical_url',
  socialTitle: 'social_title',
  socialDescription: 'social_description',
  socialImage: 'social_image',
  corrections: 'corrections',
} as const satisfies Record<keyof Fields, keyof Changes>;

export type FieldName = keyof Fields;

/** The name of a field, which a problem with it says as well. */
export function labelOf<Name extends FieldName>(field: Name): `field_${(typeof MEMBERS)[Name]}` {
  return `field_${MEMBERS[field]}`;
}

/** The fields that the service has refused; none if it is not known which. */
export function refusedFields(error: unknown): FieldName[] {
  if (!(error instanceof ApiProblem) || error.passes) return [];
  const members = error.fields.map(({ field }) => field.split('.')[0]);
  return FIELDS.filter((name) => members.includes(MEMBERS[name]));
}

/** All fields, in the order in which they are shown. */
const FIELDS = Object.keys(MEMBERS) as readonly FieldName[];

/** The fields of an article, with what a working copy changes of it. */
export function fieldsOf(article: Article, changes: Readonly<Record<string, unknown>> = {}): Fields {
  const { category, tags = [], authors = [] } = article;
  const shown: Record<string, unknown> = {
    ...article,
    category_id: category?.id,
    tags: tags.map(({ slug }) => slug),
    authors: authors.map(({ slug }) => slug),
    ...changes,
  };
  const entries = FIELDS.map((field) => [field, shown[MEMBERS[field]] ?? EMPTY[field]]);
  return Object.fromEntries(entries) as Fields;
}

/** The fields in which two versions differ. */
export function differing(before: Fields, after: Fields): FieldName[] {
  return FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

/** These fields of a version. */
export function pick(from: Fields, names: readonly FieldName[]): Partial<Fields> {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

/**
 * The request that turns one version into the other; it leaves out an empty slug, which follows the title.
 */
export function changesBetween(before: Fields, after: Fields): DraftChanges {
  const changed = differing(before, after).filter((field) => field !== 'slug' || after.slug !== '');
  return Object.fromEntries(changed.map((field) => [MEMBERS[field], memberOf(field, after)])) as DraftChanges;
}

/** The draft that the API creates. */
export function newArticle(fields: Fields): NewArticle {
  return { ...changesBetween(EMPTY, fields), title: fields.title, content: fields.content };
}

/** The fewest characters of text that readers get. */
export const SHORTEST = 50;

/** A field without which an article cannot be published. */
export type Missing = 'title' | 'content';

/** Finds the fields that are missing for publication. */
export function missingIn({ title, content }: Fields): Missing[] {
  return [
    ...(title.trim() === '' ? (['title'] as const) : []),
    ...(textOf(content).trim().length < SHORTEST ? (['content'] as const) : []),
  ];
}

/** The text in HTML, a line for each block; nothing in it is loaded or run. */
export function textOf(html: string): string {
  const { body } = new DOMParser().parseFromString(
    html.replace(/<\/(p|h[1-6]|li|blockquote|tr|figcaption)>/gi, '$&\n'),
    'text/html',
  );
  return (body.textContent ?? '').replaceAll(/\n\s*\n/g, '\n');
}

function memberOf(field: FieldName, { [field]: value }: Fields): unknown {
  const isRequired = field === 'title' || field === 'content';
  return value === undefined || (value === '' && !isRequired) ? null : value;
}
