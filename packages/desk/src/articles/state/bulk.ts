import { asProblem } from '../../shared/api/problem.ts';
import type { ContentApi } from '../api/content.ts';
import type { Changes } from './fields.ts';

export interface BulkOutcome {
  readonly changed: readonly number[];
  /** Why others were not: what was thrown. */
  readonly reasons: readonly unknown[];
  readonly undo: () => Promise<void>;
}

/**
 * Does something with each article, one after the other; what fails does not stop the rest, unless somebody
 * did not want to show who they are: they are asked once.
 */
async function each(
  ids: readonly number[],
  work: (id: number) => Promise<(() => Promise<unknown>) | undefined>,
): Promise<BulkOutcome> {
  const changed: number[] = [];
  const reasons: unknown[] = [];
  const undos: (() => Promise<unknown>)[] = [];
  for (const id of ids) {
    try {
      const undo = await work(id);
      if (undo === undefined) continue;
      changed.push(id);
      undos.push(undo);
    } catch (error) {
      reasons.push(error);
      if (asProblem(error).code === 'confirmation_required') break;
    }
  }
  const undo = async () => {
    for (const one of undos) await one();
  };
  return { changed, reasons, undo };
}

export function removeAll(api: ContentApi, ids: readonly number[]): Promise<BulkOutcome> {
  return each(ids, async (id) => {
    await api.remove(id);
    return () => api.restore(id);
  });
}

/** Brings articles back from the trash. */
export function restoreAll(api: ContentApi, ids: readonly number[]): Promise<BulkOutcome> {
  return each(ids, async (id) => {
    await api.restore(id);
    return () => api.remove(id);
  });
}

/** Deletes articles of the trash for good: nothing takes that back. */
export function eraseAll(api: ContentApi, ids: readonly number[]): Promise<BulkOutcome> {
  return each(ids, async (id) => {
    await api.erase(id);
    return async () => undefined;
  });
}

export function publishAll(api: ContentApi, ids: readonly number[], wanted: boolean): Promise<BulkOutcome> {
  return each(ids, async (id) => {
    const { value, etag } = await api.read(id);
    const plan = value.is_published ? null : (value.schedule?.publish_at ?? null);
    if (!wanted && plan !== null) {
      const after = await api.change(id, { publish_at: null }, etag);
      return () => api.change(id, { publish_at: plan }, after);
    }
    if (value.is_published === wanted) return undefined;
    const after = await api.change(id, { is_published: wanted }, etag);
    return () => api.change(id, { is_published: !wanted }, after);
  });
}

export function categorizeAll(
  api: ContentApi,
  ids: readonly number[],
  category: number,
): Promise<BulkOutcome> {
  return each(ids, async (id) => {
    const { value, etag } = await api.read(id);
    if (value.category?.id === category) return undefined;
    const after = await api.change(id, { category_id: category }, etag);
    const back: Changes = { category_id: value.category?.id ?? null };
    return () => api.change(id, back, after);
  });
}

export function tagAll(api: ContentApi, ids: readonly number[], tag: string): Promise<BulkOutcome> {
  return each(ids, async (id) => {
    const { value, etag } = await api.read(id);
    const before = (value.tags ?? []).map(({ slug }) => slug);
    if (before.includes(tag)) return undefined;
    const after = await api.change(id, { tags: [...before, tag] }, etag);
    return () => api.change(id, { tags: before }, after);
  });
}
