import { asProblem } from '../../shared/api/problem.ts';
import type { ContentApi } from '../api/content.ts';
import type { Changes } from './fields.ts';

/** The failed article, and the error. */
interface Failed {
  readonly id: number;
  readonly reason: unknown;
}

/** Whoever waits for the work on many articles, and may stop it. */
export interface Watch {
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
}

export interface BulkOutcome {
  readonly changed: readonly number[];
  readonly failed: readonly Failed[];
  /** The number left as they are because the work was stopped. */
  readonly left: number;
  /** The number brought back without the plan that they had. */
  readonly unplanned: number;
  readonly undo: (watch: Watch) => Promise<BulkOutcome>;
}

/** Articles that are worked on at a time. */
const PIECE = 4;

/** Takes something back; calls `lose` if a plan is lost with that. */
type Undo = (lose: () => void) => Promise<unknown>;

/** Works on one article; resolves to what takes that back, undefined if nothing was to be done. */
type Work = (id: number, lose: () => void) => Promise<Undo | undefined>;

/**
 * Does something with each article, some at a time. A failure does not stop the rest, unless somebody did not
 * want to confirm who they are: they are asked once.
 */
async function each(ids: readonly number[], watch: Watch, work: Work): Promise<BulkOutcome> {
  const failed: Failed[] = [];
  const undos = new Map<number, Undo>();
  let unplanned = 0;
  const lose = () => {
    unplanned += 1;
  };
  let [at, isRefused] = [0, false];
  const one = async (id: number) => {
    try {
      const undo = await patiently(watch.signal, () => work(id, lose));
      if (undo !== undefined) undos.set(id, undo);
    } catch (reason) {
      failed.push({ id, reason });
      isRefused ||= asProblem(reason).code === 'confirmation_required';
    }
  };
  while (at < ids.length && !isRefused && !watch.signal.aborted) {
    // The first alone: it may ask whoever does this to show who they are.
    const piece = ids.slice(at, at + (at === 0 ? 1 : PIECE));
    await Promise.all(piece.map(one));
    at += piece.length;
    watch.onProgress(at);
  }
  const changed = [...undos.keys()];
  const undo = (again: Watch) =>
    each(changed, again, async (id, loseIt) => {
      await undos.get(id)?.(loseIt);
      return async () => undefined;
    });
  return { changed, failed, left: isRefused ? 0 : ids.length - at, unplanned, undo };
}

/** Tries again when the service has told how long it wants to be left alone. */
async function patiently<Done>(signal: AbortSignal, work: () => Promise<Done>): Promise<Done> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const { status, retryAfterMs } = asProblem(error);
      if (status !== 429 || retryAfterMs === undefined || signal.aborted) throw error;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, retryAfterMs);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
      if (signal.aborted) throw error;
    }
  }
}

export function removeAll(api: ContentApi, ids: readonly number[], watch: Watch): Promise<BulkOutcome> {
  return each(ids, watch, async (id) => {
    await api.remove(id);
    return async (lose) => (await api.restore(id)) && lose();
  });
}

/** Brings articles back from the trash. */
export function restoreAll(api: ContentApi, ids: readonly number[], watch: Watch): Promise<BulkOutcome> {
  return each(ids, watch, async (id, lose) => {
    if (await api.restore(id)) lose();
    return () => api.remove(id);
  });
}

/** Deletes articles of the trash for good: nothing takes that back. */
export function eraseAll(api: ContentApi, ids: readonly number[], watch: Watch): Promise<BulkOutcome> {
  return each(ids, watch, async (id) => {
    await api.erase(id);
    return async () => undefined;
  });
}

/** The change in readers' view of articles. */
export type Publicity = 'publish' | 'unpublish' | 'unschedule';

export function publishAll(
  api: ContentApi,
  ids: readonly number[],
  watch: Watch,
  wanted: Publicity,
): Promise<BulkOutcome> {
  return each(ids, watch, async (id) => {
    const { value, etag } = await api.read(id);
    const { publish_at: at = null, release = null } = value.schedule ?? {};
    const isPlanned = !value.is_published && (at !== null || release !== null);
    if (wanted !== 'publish' && isPlanned) {
      const after = await api.change(id, { publish_at: null, release: null }, etag);
      const plan: Changes = release === null ? { publish_at: at } : { release };
      return () => api.change(id, plan, after);
    }
    if (wanted === 'unschedule' || value.is_published === (wanted === 'publish')) return undefined;
    const after = await api.change(id, { is_published: wanted === 'publish' }, etag);
    return () => api.change(id, { is_published: wanted !== 'publish' }, after);
  });
}

export function categorizeAll(
  api: ContentApi,
  ids: readonly number[],
  watch: Watch,
  category: number,
): Promise<BulkOutcome> {
  return each(ids, watch, async (id) => {
    const { value, etag } = await api.read(id);
    if (value.category?.id === category) return undefined;
    const after = await api.change(id, { category_id: category }, etag);
    const back: Changes = { category_id: value.category?.id ?? null };
    return () => api.change(id, back, after);
  });
}

export function tagAll(
  api: ContentApi,
  ids: readonly number[],
  watch: Watch,
  tag: string,
): Promise<BulkOutcome> {
  return each(ids, watch, async (id) => {
    const { value, etag } = await api.read(id);
    const before = (value.tags ?? []).map(({ slug }) => slug);
    if (before.includes(tag)) return undefined;
    const after = await api.change(id, { tags: [...before, tag] }, etag);
    return () => api.change(id, { tags: before }, after);
  });
}
