import { errorWords } from '../../shared/views/problem-view.tsx';
import type { ListedArticle } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import {
  type BulkOutcome,
  categorizeAll,
  eraseAll,
  type Publicity,
  publishAll,
  removeAll,
  restoreAll,
  tagAll,
  type Watch,
} from '../state/bulk.ts';
import type { TextName } from '../text/texts.ts';
import { listed } from './seats.ts';

export interface ListActions {
  /** Moves them to the trash, or the one that is given while none is selected. */
  remove(id?: number): void;
  /** Brings them back from the trash. */
  restore(): Promise<void>;
  /** Deletes them for good. */
  erase(): Promise<void>;
  /** Deletes for good what was in the trash at a time. */
  emptyTrash(until: string): Promise<void>;
  publish(wanted: Publicity): Promise<void>;
  categorize(category: number): Promise<void>;
  tag(name: string): Promise<void>;
}

/** So many articles are changed in a moment; how far the work on more is, is shown. */
const SHORT = 20;

/** The reasons that a notice gives; all of them are in the report. */
const TOLD = 3;

/** True for what a notice says of an article by its title. */
const isNamed = (done: TextName): done is 'removed' | 'broughtBack' =>
  done === 'removed' || done === 'broughtBack';

/** Gives the focus, which what it was on took along, to the article that the keyboard is on. */
export function focusActive(): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const find = (what: string) => document.querySelector<HTMLElement>(what);
    const target = find('[data-active="true"]') ?? find('.articles-toolbar [type="search"]');
    target?.focus({ preventScroll: true });
  });
}

export function useListActions(): ListActions {
  const { api, list, notices, place, presence, terms, texts } = useApp();
  const { say } = texts;
  const chosen = () => [...list.chosen.peek()];
  /** Shows how far the work on so many articles is, and lets it be stopped. */
  const watched = async <Done>(count: number, work: (watch: Watch) => Promise<Done>): Promise<Done> => {
    const controller = new AbortController();
    const { signal } = controller;
    const stop = () => controller.abort();
    const onProgress = (done: number) => {
      if (count > SHORT) notices.progress.value = { done, count, stop };
    };
    if (count > SHORT) notices.dismiss();
    onProgress(0);
    try {
      return await work({ signal, onProgress });
    } finally {
      notices.progress.value = undefined;
    }
  };
  const run = async (
    done: Extract<TextName, 'changed' | 'removed' | 'broughtBack' | 'erased'>,
    ids: readonly number[],
    work: (watch: Watch) => Promise<BulkOutcome>,
  ) => {
    const titles = new Map(list.articles.peek().map(({ id, title }) => [id, title]));
    const { changed, failed, left, unplanned, undo } = await watched(ids.length, work);
    const failures = failed.map(({ id, reason }) => ({
      id,
      title: titles.get(id) ?? '',
      reason: errorWords(reason, say),
    }));
    const title = changed.length === 1 ? titles.get(changed[0] ?? 0) : undefined;
    const what =
      title === undefined || !isNamed(done)
        ? say(done, { count: changed.length })
        : say(`${done}Named`, { title: texts.title(title) });
    const takeBack =
      changed.length === 0 || done === 'erased'
        ? undefined
        : async () => {
            const { failed, unplanned } = await watched(changed.length, undo);
            if (failed[0] !== undefined) throw failed[0].reason;
            return unplanned > 0 ? say('planLost', { count: unplanned }) : undefined;
          };
    const reasons = [...new Set(failures.map(({ reason }) => reason))];
    const words = [
      ...(changed.length > 0 || failures.length === 0 ? [what] : []),
      ...(unplanned > 0 ? [say('planLost', { count: unplanned })] : []),
      ...(left > 0 ? [say('leftOut', { count: left })] : []),
      ...(reasons.length > 0 ? [say('notChanged', { reason: reasons.slice(0, TOLD).join(' ') })] : []),
    ];
    const text = words.join(' · ');
    if (failures.length === 0) notices.done(text, takeBack);
    else notices.failed(text, { undo: takeBack, failures: ids.length > 1 ? failures : undefined });
    await list.reread();
    focusActive();
  };
  return {
    remove: (id) => {
      if (place.value.peek().status === 'trash') return;
      const some = chosen();
      const ids = some.length > 0 || id === undefined ? some : [id];
      const going = list.articles.peek().filter((article) => ids.includes(article.id));
      const numberOf = (state: ListedArticle['state']) => going.filter((one) => one.state === state).length;
      const seats = ids.flatMap((one) => presence.othersAt(one)).filter(({ isYou }) => !isYou);
      notices.askToRemove({
        ...{
          count: ids.length,
          title: going[0] && ids.length === 1 ? texts.title(going[0].title) : undefined,
        },
        ...{ published: numberOf('published'), scheduled: numberOf('scheduled') },
        names: listed(seats, texts),
        go: () => {
          list.stepAside(ids);
          void run('removed', ids, (watch) => removeAll(api, ids, watch));
        },
      });
    },
    restore: () => {
      const ids = chosen();
      return run('broughtBack', ids, (watch) => restoreAll(api, ids, watch));
    },
    erase: () => {
      const ids = chosen();
      return run('erased', ids, (watch) => eraseAll(api, ids, watch));
    },
    emptyTrash: async (until) => {
      try {
        notices.done(say('erased', { count: await api.emptyTrash(until) }));
      } catch (error) {
        notices.failed(say('notChanged', { reason: errorWords(error, say) }));
      }
      await list.reread();
      focusActive();
    },
    publish: (wanted) => {
      const ids = chosen();
      return run('changed', ids, (watch) => publishAll(api, ids, watch, wanted));
    },
    categorize: (category) => {
      const ids = chosen();
      return run('changed', ids, (watch) => categorizeAll(api, ids, watch, category));
    },
    tag: async (name) => {
      const ids = chosen();
      try {
        const tag = await terms.tagNamed(name);
        await run('changed', ids, (watch) => tagAll(api, ids, watch, tag));
      } catch (error) {
        notices.failed(say('notChanged', { reason: errorWords(error, say) }));
      }
    },
  };
}
