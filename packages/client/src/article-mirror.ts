import { type Change, type Mirrored, type MirrorStore, mirror } from './mirror.ts';
import type { paths } from './openapi/content.ts';
import { patient, type WalkOptions } from './pages.ts';
import type { ContentClient } from './services.ts';
import type { AnswerOf, OperationOf } from './typed-paths.ts';

type AnyItem = AnswerOf<OperationOf<paths, '/api/sync/snapshot', 'get'>>['data'][number];

type AnyArticle = Extract<AnyItem, { kind: 'article' }>;

type Others = Exclude<AnyItem, { kind: 'article' }>;

/** The names of the members that a type always has. */
type Always<Of> = { [Name in keyof Of]-?: undefined extends Of[Name] ? never : Name }[keyof Of];

/** A published article, a category, a tag or an author. */
export type PublishedItem = Pick<AnyArticle, Always<AnyArticle>> | Others;

/** The same with the bodies of articles, and everything else that they show. */
export type FullPublishedItem = Required<AnyArticle> | Others;

export type PublishedId = Pick<AnyItem, 'kind' | 'id'>;

/** How a mirror of what is published reads. */
export interface ArticleMirrorOptions<Fields extends 'default' | 'full'> extends WalkOptions {
  /** `full` for bodies; asked for with a snapshot, and kept by the changes that follow it. */
  fields?: Fields;
}

type ItemOf<Fields extends 'default' | 'full'> = Fields extends 'full' ? FullPublishedItem : PublishedItem;

/** Where a mirror keeps what is published. */
export type PublishedStore<Fields extends 'default' | 'full' = 'default'> = MirrorStore<
  ItemOf<Fields>,
  PublishedId
>;

/**
 * Brings a copy of the published articles, categories, tags and authors up to date, and returns when the
 * server has nothing more at the moment; call it again later for what has changed since. It may be ended at
 * any point, by a crash as well: the next call goes on. Only one may work on a store at a time. While the
 * store has no cursor, its copy is not whole. An article may come before what it refers to.
 */
export function mirrorArticles<Fields extends 'default' | 'full' = 'default'>(
  client: ContentClient,
  store: PublishedStore<Fields>,
  options: ArticleMirrorOptions<Fields> = {},
): Promise<Mirrored> {
  const fields: 'default' | 'full' = options.fields ?? 'default';
  type Item = ItemOf<Fields>;
  const set = {
    snapshot: async (page: string | undefined) => {
      const query = { fields, ...(page && { page }) };
      const { data, meta } = await client.get('/api/sync/snapshot', { ...patient(options), query });
      return { items: data as Item[], cursor: meta.cursor, next: meta.next_page };
    },
    changes: async (cursor: string) => {
      const { data, meta } = await client.get('/api/sync/changes', {
        ...patient(options),
        query: { cursor },
      });
      const changes = data.map(
        (change): Change<Item, PublishedId> =>
          change.op === 'upsert'
            ? { op: 'upsert', item: change.item as Item }
            : { op: 'remove', id: { kind: change.kind, id: change.id } },
      );
      return { changes, cursor: meta.cursor, hasMore: meta.has_more };
    },
    idOf: ({ kind, id }: Item) => ({ kind, id }),
    nameOf: ({ kind, id }: PublishedId) => `${kind}:${id}`,
  };
  return mirror(set, store);
}
