import { useApp } from '../app-context.ts';
import { type BulkOutcome, categorizeAll, publishAll, removeAll, restoreAll, tagAll } from '../state/bulk.ts';
import type { TextName } from '../text/texts.ts';

/** What can be done to the selected articles. */
export interface ListActions {
  /** Moves them to the trash, or the one that is given while none is selected. */
  remove(id?: number): Promise<void>;
  /** Brings them back from the trash. */
  restore(): Promise<void>;
  publish(wanted: boolean): Promise<void>;
  categorize(category: number): Promise<void>;
  tag(name: string): Promise<void>;
}

/** The actions on the selected articles. */
export function useListActions(): ListActions {
  const { api, list, notices, place, terms, texts } = useApp();
  const { say } = texts;
  const chosen = () => [...list.chosen.peek()];
  const tell = async (
    done: Extract<TextName, 'changed' | 'removed' | 'broughtBack'>,
    work: Promise<BulkOutcome>,
  ) => {
    const { changed, reasons, undo } = await work;
    if (reasons.length > 0) notices.failed(say('notChanged', { reason: reasons.join(' ') }));
    else notices.done(say(done, { count: changed.length }), changed.length > 0 ? undo : undefined);
    await list.refresh();
  };
  return {
    remove: async (id) => {
      if (place.value.peek().status === 'trash') return;
      const ids = chosen();
      await tell('removed', removeAll(api, ids.length > 0 || id === undefined ? ids : [id]));
    },
    restore: () => tell('broughtBack', restoreAll(api, chosen())),
    publish: (wanted) => tell('changed', publishAll(api, chosen(), wanted)),
    categorize: (category) => tell('changed', categorizeAll(api, chosen(), category)),
    tag: async (name) => {
      const ids = chosen();
      try {
        await tell('changed', tagAll(api, ids, await terms.tagNamed(name)));
      } catch (error) {
        notices.failed(say('notChanged', { reason: error instanceof Error ? error.message : String(error) }));
      }
    },
  };
}
