import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { CheckField } from '../../shared/views/check-field.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { useWide } from '../../shared/views/use-wide.ts';
import type { ItemsQuery, Source, Vocabulary } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { changeQuery, pathTo, placeOf, SEARCHABLE, TYPING_MS } from '../state/news-place.ts';
import type { Choices } from './fields.tsx';
import { Select, termChoices } from './fields.tsx';
import { ItemDetails } from './item-details.tsx';
import { ItemForm } from './item-form.tsx';
import { ItemList } from './item-list.tsx';
import { NewItems } from './new-items.tsx';
import { Status } from './status.tsx';
import { Trouble } from './trouble.tsx';
import { useAnswer } from './use-answer.ts';
import { useKeys } from './use-keys.ts';

/** The spans of time, and how many days each goes back. */
const SPANS = { today: 0, week: 6, month: 29, all: undefined, withdrawn: undefined } as const;

/** An action on several items: its text, look and key. */
const ACTIONS = [
  ['select', 'selectItem', 'primary', 's'],
  ['deselect', 'deselect', 'plain', 'd'],
  ['withdraw', 'withdraw', 'plain', 'w'],
] as const;

/** The same with withdrawn ones. */
const GONE = [['restore', 'restoreItem', 'primary', 'w']] as const;

const KEY_OF = { select: 's', deselect: 'd', withdraw: 'w' } as const;

const DAY_MS = 24 * 3_600_000;

/** The items of today, or of another span, with what the keys do to them. */
export function Today() {
  const { address, api, items, me, texts, vocabulary } = useNews();
  const { say } = texts;
  const { query } = placeOf(address.here.value);
  const [edited, setEdited] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const sources = useAnswer((signal) => api.sources(undefined, signal), 'sources');
  const isWide = useWide();
  const asked = queryOf(query, vocabulary.value);
  const key = JSON.stringify(asked);
  useEffect(() => void items.show(asked), [items, key]);
  const entries = items.list.entries.value;
  const state = items.list.state.value;
  const active = items.active.value ?? entries[0]?.id;
  const chosen = items.chosen.value;
  const actions = asked === 'withdrawn' ? GONE : ACTIONS;
  const act = (action: 'select' | 'deselect' | 'withdraw') => () => {
    const item = items.current();
    const all = actions.find(([, , , key]) => key === KEY_OF[action]);
    if (chosen.size > 0) {
      if (all !== undefined) void items.actOnAll([...chosen], all[0]);
      return;
    }
    if (item === undefined) return;
    const isGone = Boolean(item.withdrawnAt);
    if (action === 'withdraw') void items.act(item.id, isGone ? 'restore' : 'withdraw');
    else if (!isGone) void items.act(item.id, action);
  };
  useKeys(
    me.may('edit')
      ? {
          s: act('select'),
          d: act('deselect'),
          w: act('withdraw'),
          e: () => setEdited(items.current()?.id),
        }
      : {},
  );
  const details = active !== undefined && (
    <ItemDetails id={active} onEdit={() => setEdited(active)} onDone={() => setOpen(false)} />
  );
  return (
    <>
      {chosen.size > 0 && <ChosenBar actions={actions} />}
      <Filters sources={sources.value?.entries} />
      <div class="beside">
        <div class="beside-list">
          {asked !== 'withdrawn' && asked.order === undefined && <NewItems key={key} query={asked} />}
          {entries.length === 0 ? (
            <NoItems hasSources={sources.value?.entries.length !== 0} />
          ) : (
            <ItemList
              entries={entries}
              active={active}
              onOpen={() => (isWide ? document.getElementById('details')?.focus() : setOpen(true))}
            />
          )}
        </div>
        {isWide && details}
      </div>
      <Status words={say(state === 'complete' ? 'items' : 'itemsSoFar', { count: entries.length })} />
      {!isWide && isOpen && active !== undefined && (
        <Modal title={say('showDetails')} hiddenTitle look="wide" onClose={() => setOpen(false)}>
          <div class="modal-close">
            <IconButton icon="close" label={say('close')} onClick={() => setOpen(false)} />
          </div>
          {details}
        </Modal>
      )}
      {edited !== undefined && <ItemForm key={edited} id={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

interface ChosenBarProps {
  actions: typeof ACTIONS | typeof GONE;
}

/** The actions on the chosen items. */
function ChosenBar({ actions }: ChosenBarProps) {
  const { items, texts } = useNews();
  const { say } = texts;
  const { value: chosen } = items.chosen;
  const clear = () => {
    items.chosen.value = new Set();
  };
  return (
    <div class="toolbar selected filters">
      <IconButton icon="close" label={say('chooseNone')} onClick={clear} />
      <span class="selected-count" role="status">
        {say('chosenItems', { count: chosen.size })}
      </span>
      <span class="space" />
      {actions.map(([action, text, kind, key]) => (
        <Button
          key={action}
          kind={kind}
          aria-keyshortcuts={key}
          onClick={() => void items.actOnAll([...chosen], action)}
        >
          {say(text)}
        </Button>
      ))}
    </div>
  );
}

/** The query for the items that the address asks for; days are those of the site. */
function queryOf(query: URLSearchParams, vocabulary: Vocabulary | undefined): ItemsQuery | 'withdrawn' {
  const { span = 'today', ...rest } = Object.fromEntries(query);
  if (span === 'withdrawn') return 'withdrawn';
  const days = SPANS[span as keyof typeof SPANS];
  // Of all times, the newsroom has no order by score.
  if (days === undefined) return { ...rest, order: undefined };
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: vocabulary?.zone });
  return { ...rest, from: format.format(Date.now() - days * DAY_MS) };
}

/** Nothing to show: it is being loaded, could not be loaded, or is not there. */
function NoItems({ hasSources }: { hasSources: boolean }) {
  const { address, items, me, texts } = useNews();
  const { say } = texts;
  const { query } = placeOf(address.here.value);
  const problem = items.list.problem.value;
  if (problem !== undefined) return <Trouble problem={problem} onRetry={() => void items.list.retry()} />;
  if (items.list.state.value === 'loading') return <Loading />;
  const isToday = query.size === 0;
  if (!hasSources && isToday) {
    return (
      <div class="empty">
        <Icon name="news" size={32} />
        <p class="empty-title">{say('noSources')}</p>
        {me.may('edit') && (
          <Link to={pathTo('sources', { query: { add: '1' } })} class="button primary">
            <Icon name="add" />
            {say('addSource')}
          </Link>
        )}
      </div>
    );
  }
  return (
    <div class="empty">
      <Icon name={isToday ? 'news' : 'search'} size={32} />
      <p class="empty-title">{say(isToday ? 'nothingToday' : 'noItems')}</p>
      {isToday && <Button onClick={() => changeQuery(address, { span: 'week' })}>{say('showWeek')}</Button>}
    </div>
  );
}

function Filters({ sources }: { sources: readonly Source[] | undefined }) {
  const { address, items, texts, vocabulary } = useNews();
  const { say } = texts;
  const { query } = placeOf(address.here.value);
  const q = query.get('q') ?? '';
  const [text, setText] = useState(q);
  const sent = useRef(q);
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === sent.current || !(wanted === '' || SEARCHABLE.test(wanted))) return;
    const timer = setTimeout(() => {
      sent.current = wanted;
      changeQuery(address, { q: wanted });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  // Another place, such as the one before it, has other words.
  useEffect(() => {
    if (q !== sent.current) setText(q);
    sent.current = q;
  }, [q]);
  const of = (name: string) => ({
    value: query.get(name) ?? '',
    onValue: (value: string) => changeQuery(address, { [name]: value }),
  });
  const spans: Choices = Object.keys(SPANS).map((name) => [
    name === 'today' ? '' : name,
    say(`span_${name}` as 'span_today'),
  ]);
  const names = new Set(sources?.map(({ name }) => name));
  for (const { sourceName } of items.list.entries.value) names.add(sourceName);
  return (
    <div class="toolbar filters">
      <div class="search">
        <Icon name="search" size={16} />
        <input
          type="search"
          aria-label={say('searchItems')}
          placeholder={say('searchItems')}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      <div class="filter-choices">
        <Select label={say('span')} choices={spans} {...of('span')} />
        {query.get('span') !== 'withdrawn' && (
          <>
            <Select
              label={say('category')}
              choices={[['', say('anyCategory')], ...termChoices(vocabulary.value?.categories)]}
              {...of('category')}
            />
            <Select
              label={say('source')}
              choices={[['', say('anySource')], ...[...names].sort().map((name) => [name, name] as const)]}
              {...of('source')}
            />
            <Select label={say('itemLanguage')} choices={useLanguages()} {...of('language')} />
            {query.get('span') !== 'all' && (
              <Select
                label={say('itemOrder')}
                choices={[['', say('byTime')] as const, ['score', say('byScore')] as const]}
                {...of('order')}
              />
            )}
            <CheckField
              label={say('selectedOnly')}
              checked={query.get('selected') === 'true'}
              onChecked={(checked) => changeQuery(address, { selected: checked ? 'true' : undefined })}
            />
          </>
        )}
      </div>
    </div>
  );
}

/** The languages of what is listed. */
function useLanguages(): Choices {
  const { items, texts } = useNews();
  const tags = items.list.entries.value.map(({ language }) => language);
  const known = [...new Set(tags.flatMap((tag) => (tag ? [tag.split('-')[0] ?? tag] : [])))].sort();
  return [['', texts.say('anyLanguage')], ...known.map((tag) => [tag, texts.languageName(tag)] as const)];
}
