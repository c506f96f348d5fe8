import { errorWords } from '../../shared/views/problem-view.tsx';
import { useApp } from '../app-context.ts';
import {
  type BulkOutcome,
  categorizeAll,
  eraseAll,
  publishAll,
  removeAll,
  restoreAll,
  tagAll,
} from '../state/bulk.ts';
import type { TextName } from '../text/texts.ts';

export interface ListActions {
  /** Moves them to the trash, or the one that is given while none is selected. */
  remove(id?: number): Promise<void>;
  /** Brings them back from the trash. */
  restore(): Promise<void>;
  /** Deletes them for good. */
  erase(): Promise<void>;
  /** Deletes for good what was in the trash at a time. */
  emptyTrash(until: string): Promise<void>;
  publish(wanted: boolean): Promise<void>;
  categorize(category: number): Promise<void>;
  tag(name: string): Promise<void>;
}

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
  const { api, list, notices, place, terms, texts } = useApp();
  const { say } = texts;
  const chosen = () => [...list.chosen.peek()];
  const tell = async (
    done: Extract<TextName, 'changed' | 'removed' | 'broughtBack' | 'erased'>,
    work: Promise<BulkOutcome>,
  ) => {
    const { changed, reasons, undo } = await work;
    if (reasons.length > 0)
      notices.failed(
        say('notChanged', {
          reason: [...new Set(reasons.map((reason) => errorWords(reason, say)))].join(' '),
        }),
      );
    else
      notices.done(
        say(done, { count: changed.length }),
        changed.length > 0 && done !== 'erased' ? undo : undefined,
      );
    await list.reread();
    focusActive();
  };
  return {
    remove: async (id) => {
      if (place.value.peek().status === 'trash') return;
      const some = chosen();
      const ids = some.length > 0 || id === undefined ? some : [id];
      list.stepAside(ids);
      await tell('removed', removeAll(api, ids));
    },
    restore: () => tell('broughtBack', restoreAll(api, chosen())),
    erase: () => tell('erased', eraseAll(api, chosen())),
    emptyTrash: async (until) => {
      try {
        notices.done(say('erased', { count: await api.emptyTrash(until) }));
      } catch (error) {
        notices.failed(say('notChanged', { reason: errorWords(error, say) }));
      }
      await list.reread();
      focusActive();
    },
    publish: (wanted) => tell('changed', publishAll(api, chosen(), wanted)),
    categorize: (category) => tell('changed', categorizeAll(api, chosen(), category)),
    tag: async (name) => {
      const ids = chosen();
      try {
        await tell('changed', tagAll(api, ids, await terms.tagNamed(name)));
      } catch (error) {
        notices.failed(say('notChanged', { reason: errorWords(error, say) }));
      }
    },
  };
}
