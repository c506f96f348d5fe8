import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Desk } from '../shared/desk.ts';
import { NewsroomApi } from './api/newsroom.ts';
import type { Vocabulary } from './api/types.ts';
import { type News, NewsContext } from './news-context.ts';
import { Edits } from './state/edits.ts';
import { Items } from './state/items.ts';
import { Texts } from './text/texts.ts';
import { NewsPage } from './views/page.tsx';

const WORDS = {
  select: 'didSelect',
  deselect: 'didDeselect',
  withdraw: 'didWithdraw',
  restore: 'didRestore',
  edit: 'didEdit',
} as const;

const MANY = {
  select: 'isSelected',
  deselect: 'did_itemDeselect',
  withdraw: 'isWithdrawn',
  restore: 'did_itemRestore',
  edit: 'did_itemEdit',
} as const;

/** Makes the section; its parts stay while others are shown. */
export function openNews(desk: Desk): ComponentType {
  const texts = new Texts(desk.voice, 'news');
  const api = new NewsroomApi(desk.service);
  const edits = new Edits(api, (what) => texts.say('didUndo', { what }));
  const items = new Items(api, edits, (action, what) => {
    if (typeof what === 'string') return texts.say(WORDS[action], { title: what });
    return texts.say('didMany', {
      what: texts.say(MANY[action]),
      items: texts.say('items', { count: what }),
    });
  });
  const vocabulary = signal<Vocabulary | undefined>(undefined);
  const { address, announce, connection, me } = desk;
  const news: News = {
    ...{ address, announce, connection, me, api, edits, items, texts, vocabulary },
    typed: new Map(),
  };
  const learn = (known: Vocabulary) => {
    vocabulary.value = known;
  };
  return () => (
    <NewsContext.Provider value={news}>
      <NewsPage onVocabulary={learn} />
    </NewsContext.Provider>
  );
}
