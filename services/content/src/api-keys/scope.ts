import { Failure } from '@pressroom/common/failures/failure';

/** What keys may do, from least to most; each includes those before it (`docs/spec/wire.md`, "Scopes"). */
export const SCOPES = ['published', 'read', 'write', 'publish', 'full'] as const;

/** What a key may do. */
export type Scope = (typeof SCOPES)[number];

/** The part of a key's owner that decides what it may do. */
interface Holder {
  scope: Scope;
  category_id: number | null;
}

/** The part of an article that decides who may write it. */
export interface Permitted {
  is_published?: boolean | undefined;
  publish_at?: Date | null | undefined;
  unpublish_at?: Date | null | undefined;
  release?: string | null | undefined;
  category_id?: number | null | undefined;
}

/**
 * Checks that a key has a scope, and no restriction to a category where there is none.
 *
 * @throws Failure `forbidden` with code `insufficient_scope`, which names the scope that is missing
 */
export function requireScope({ scope }: Holder, needed: Scope): void {
  if (SCOPES.indexOf(scope) >= SCOPES.indexOf(needed)) return;
  throw insufficient(`this needs a key with the scope ${needed}; this key has ${scope}`);
}

/**
 * Checks that a key is not restricted to a category.
 *
 * @throws Failure `forbidden` with code `insufficient_scope`
 */
export function requireAnyCategory({ category_id: only }: Holder): void {
  if (only !== null) throw insufficient(`this key may only write articles of category ${only}`);
}

/**
 * Checks that a key may write an article that is, or becomes, as `article` says: what is published, or will
 * be at a time, is for editors. Call it with the article before and after a change, under the lock of its
 * row.
 *
 * @throws Failure `forbidden` with code `insufficient_scope`
 */
export function requireArticle(owner: Holder, article: Permitted): void {
  const planned = [article.publish_at, article.unpublish_at, article.release];
  const isWriters = article.is_published !== true && planned.every((given) => given == null);
  requireScope(owner, isWriters ? 'write' : 'publish');
  requireCategory(owner, article);
}

/** Whether a key shows what readers do not see. */
export function showsDrafts({ scope }: Pick<Holder, 'scope'>): boolean {
  return scope !== 'published';
}

/** Whether {@link requireArticle} allows a key every article. */
export function mayWriteAll({ scope, category_id }: Holder): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf('publish') && category_id === null;
}

/**
 * Checks that a key is not restricted to another category than the article's.
 *
 * @throws Failure `forbidden` with code `insufficient_scope`
 */
export function requireCategory(owner: Holder, article: Permitted): void {
  if (article.category_id !== owner.category_id) requireAnyCategory(owner);
}

function insufficient(detail: string): Failure {
  return new Failure('forbidden', detail, { code: 'insufficient_scope' });
}
