import { memo } from 'preact/compat';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useBroken } from '../../shared/desk.ts';
import { Icon } from '../../shared/views/icon.tsx';
import { useRows } from '../../shared/views/use-rows.ts';
import { useMedia } from '../../shared/views/use-wide.ts';
import type { ListedArticle, Sort } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { galleryPath } from '../state/pictures.ts';
import { pageOf } from '../state/site-page.ts';
import type { TextName } from '../text/texts.ts';
import { useListActions } from './list-actions.ts';
import { listed } from './seats.ts';

/** The height of a row, in px: of one line, and of several where the window is narrow. */
const heightOf = () => 56;
const narrowHeightOf = () => 100;
const NARROW = '(max-width: 760px)';

/** The rows before the last one at which the next page is requested. */
const AHEAD = 40;

/** The articles in a table; only the rows that can be seen are in the document. */
export function ArticleTable() {
  const { list, me, place, texts } = useApp();
  const articles = list.articles.value;
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useMedia(NARROW);
  const rows = useRows(scroller, {
    count: articles.length,
    heightOf: isNarrow ? narrowHeightOf : heightOf,
    overscan: 8,
  });
  const last = rows.items.at(-1)?.index ?? 0;
  const isAtEnd = list.state.value === 'more' && last >= articles.length - AHEAD;
  useEffect(() => {
    if (isAtEnd) void list.loadMore();
  }, [list, isAtEnd, articles.length]);
  const chosen = list.chosen.value;
  const active = list.has(list.active.value) ? list.active.value : articles[0]?.id;
  useFocus(scroller, active);
  const keys = useTableKeys(rows.show);
  const isPlain = ['scheduled', 'trash'].includes(place.value.value.status);
  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = list.scrolled;
  }, [list]);
  return (
    <div
      role="grid"
      class={isPlain ? 'articles-grid plain' : 'articles-grid'}
      aria-label={texts.say('articleList')}
      aria-multiselectable="true"
      aria-rowcount={articles.length + 1}
      onKeyDown={keys}
      onClick={({ target, shiftKey }) => {
        // There is nothing to open in the trash: a title selects, which shows what can be done.
        const title = target instanceof Element ? target.closest<HTMLElement>('span.article-title') : null;
        if (title !== null && me.may('edit')) list.choose(Number(title.dataset.id), shiftKey);
      }}
    >
      <ArticleHeads isPlain={isPlain} />
      <div
        ref={scroller}
        role="presentation"
        class="articles-scroller"
        onScroll={({ currentTarget }) => {
          list.scrolled = currentTarget.scrollTop;
        }}
      >
        <div role="presentation" class="article-rows" style={{ height: `${rows.total}px` }}>
          {rows.items.map(({ index, start }) => {
            const article = articles[index];
            return (
              article && (
                <Row
                  key={article.id}
                  article={article}
                  index={index}
                  start={start}
                  isChosen={chosen.has(article.id)}
                  isActive={article.id === active}
                  isDeleted={place.value.value.status === 'trash'}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The columns, each with the orders that it has, the usual one first. */
const HEADS: readonly (readonly [name: TextName, look: string, sorts: readonly Sort[]])[] = [
  ['status', 'article-state', []],
  ['field_featured_image', 'article-picture', []],
  ['field_title', 'article-words', ['title', 'title_desc']],
  ['lastChanged', 'article-date', ['updated', 'updated_asc']],
  ['published', 'article-date', ['newest', 'oldest']],
  ['seeOnSite', 'article-page', []],
];

/** The columns whose cells say what they are. */
const UNSEEN: ReadonlySet<TextName> = new Set(['field_featured_image', 'seeOnSite']);

const ASCENDING: readonly Sort[] = ['title', 'updated_asc', 'oldest'];

/** The heads of the columns, which sort; the schedule, the trash and a search have an order of their own. */
function ArticleHeads({ isPlain }: { isPlain: boolean }) {
  const { place, texts } = useApp();
  const { sort, status, text } = place.value.value;
  const isSorted = !isPlain && text === '';
  const shown = isPlain ? HEADS.filter(([name]) => name !== 'lastChanged') : HEADS;
  const directionOf = (sorts: readonly Sort[]) => {
    if (!sorts.includes(sort)) return 'none';
    return ASCENDING.includes(sort) ? 'ascending' : 'descending';
  };
  return (
    <div role="row" tabIndex={-1} aria-rowindex={1} class="article-row article-heads">
      <span role="gridcell" tabIndex={-1} />
      {shown.map(([name, look, sorts]) => {
        const isTime = isPlain && name === 'published';
        const words = texts.say(isTime ? (status === 'trash' ? 'deletedState' : 'scheduled') : name);
        if (!isSorted || sorts.length === 0)
          return (
            <span key={name} role="columnheader" tabIndex={-1} class={look}>
              {UNSEEN.has(name) ? <span class="unseen">{words}</span> : words}
            </span>
          );
        const direction = directionOf(sorts);
        const next = sorts.find((one) => one !== sort) ?? sort;
        return (
          <span key={name} role="columnheader" tabIndex={-1} class={look} aria-sort={direction}>
            <button type="button" class="head-button" onClick={() => place.filter({ sort: next })}>
              {words}
              {direction !== 'none' && <Icon name={direction === 'descending' ? 'down' : 'up'} size={14} />}
            </button>
          </span>
        );
      })}
    </div>
  );
}

interface RowProps {
  article: ListedArticle;
  index: number;
  start: number;
  isChosen: boolean;
  isActive: boolean;
  isDeleted: boolean;
}

const STATES: Readonly<Record<ListedArticle['state'], TextName>> = {
  published: 'published',
  draft: 'draft',
  submitted: 'submitted',
  returned: 'returned',
  approved: 'approved',
  scheduled: 'scheduled',
  deleted: 'deletedState',
};

/** While the list is scrolled, only the rows that come into sight are new. */
const Row = memo(({ article, index, start, isChosen, isActive, isDeleted }: RowProps) => {
  const { list, me, place, presence, site, texts } = useApp();
  const { id, author, category, picture, assignee, comments = 0, state, changedAt, at } = article;
  const title = texts.title(article.title);
  const assigned = assignee === undefined ? '' : texts.say('assignedTo', { name: texts.name(assignee) });
  const others = presence.othersAt(id);
  const opened = others.length === 0 ? '' : texts.say('openBy', { names: listed(others, texts) });
  const page = state === 'published' ? pageOf(site.value, article) : undefined;
  const facts = [opened, author, category, assigned].filter(Boolean).join(' · ');
  return (
    <div
      role="row"
      tabIndex={-1}
      class="article-row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      style={{ transform: `translateY(${start}px)` }}
    >
      <span role="gridcell" tabIndex={-1} class="article-check">
        {me.may('edit') && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={texts.say('selectOne', { title: article.title })}
            checked={isChosen}
            onClick={({ currentTarget, shiftKey }) => {
              list.choose(id, shiftKey);
              currentTarget.checked = list.chosen.peek().has(id);
            }}
          />
        )}
      </span>
      <span role="gridcell" tabIndex={-1} class="article-state">
        <span class={state === 'published' || state === 'approved' ? 'badge on' : 'badge'}>
          {texts.say(STATES[state])}
        </span>
      </span>
      <span role="gridcell" tabIndex={-1} class="article-picture">
        <Thumbnail address={picture} />
      </span>
      <span role="gridcell" tabIndex={-1} class="article-words">
        {isDeleted ? (
          <span class="article-title" tabIndex={isActive ? 0 : -1} data-id={id} data-active={isActive}>
            <bdi>{title}</bdi>
          </span>
        ) : (
          <a
            class="article-title"
            href={place.hrefOf(id)}
            tabIndex={isActive ? 0 : -1}
            data-id={id}
            data-active={isActive}
            onFocus={() => {
              list.active.value = id;
            }}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey) return;
              event.preventDefault();
              if (event.shiftKey) return list.choose(id, true);
              place.open(id);
            }}
          >
            <bdi>{title}</bdi>
          </a>
        )}
        <span class="article-facts">
          {comments > 0 && (
            <span
              role="img"
              class="article-comments"
              aria-label={texts.say('commentsOpen', { count: comments })}
            >
              <Icon name="comments" size={13} /> {comments}
            </span>
          )}
          {facts}
        </span>
      </span>
      {[changedAt, at].map(
        (time, column) =>
          time !== undefined && (
            <span key={`${column}`} role="gridcell" tabIndex={-1} class="article-date">
              {!Number.isNaN(time) && <When at={time} />}
            </span>
          ),
      )}
      <span role="gridcell" tabIndex={-1} class="article-page">
        {page !== undefined && (
          <a
            class="icon-button"
            href={page}
            target="_blank"
            rel="noreferrer"
            tabIndex={-1}
            aria-label={texts.say('labelled', { label: texts.say('seeOnSite'), value: title })}
            title={texts.say('seeOnSite')}
          >
            <Icon name="link" size={16} />
          </a>
        )}
      </span>
    </div>
  );
});

/** The featured picture, if it is one of the gallery: the desk loads nothing from elsewhere. */
function Thumbnail({ address: picture }: { address: string | null }) {
  const { address, gallery } = useApp();
  const [isBroken, broken] = useBroken();
  const path = picture === null ? undefined : galleryPath(address.base, picture);
  if (path === undefined || isBroken) return null;
  return <img src={gallery.thumbnailOf(path)} alt="" loading="lazy" decoding="async" onError={broken} />;
}

/** The time for which its distance from now is told, in ms; beyond it, the date says more. */
const NEAR_MS = 7 * 86_400_000;

function When({ at }: { at: number }) {
  const { texts } = useApp();
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={texts.date(at, 'long')}>
      {Math.abs(at - Date.now()) < NEAR_MS ? texts.ago(iso) : texts.date(at)}
    </time>
  );
}

function useTableKeys(show: (index: number) => void): (event: KeyboardEvent) => void {
  const { list, me, place } = useApp();
  const actions = useListActions();
  return (event) => {
    // The heads have keys of their own.
    if (event.target instanceof Element && event.target.closest('.article-heads')) return;
    const articles = list.articles.peek();
    const at = articles.findIndex(({ id }) => id === list.active.peek());
    const step = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -articles.length,
      End: articles.length,
    }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const to = Math.min(Math.max(Math.max(at, 0) + step, 0), articles.length - 1);
      const goal = articles[to]?.id;
      if (event.shiftKey && goal !== undefined) list.choose(goal, true);
      list.active.value = goal;
      return show(to);
    }
    const id = list.active.peek() ?? articles[0]?.id;
    if (id === undefined) return;
    if (event.key === 'Enter' && place.value.peek().status !== 'trash') {
      event.preventDefault();
      return place.open(id);
    }
    if (event.key === 'v' && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const row = document.querySelector('[data-active="true"]')?.closest('[role="row"]');
      return row?.querySelector<HTMLElement>('.article-page a')?.click();
    }
    if (!me.may('edit')) return;
    if (event.key === ' ' || event.key === 'Enter') {
      event.preventDefault();
      list.choose(id, event.shiftKey);
    } else if (event.key === 'Delete') actions.remove(id);
    else if (event.key === 'Escape') list.chosen.value = new Set();
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      list.chosen.value = new Set(articles.map((article) => article.id));
    }
  };
}

/** Moves the focus with the keyboard's place, once that row is in the document. */
function useFocus(scroller: { current: HTMLElement | null }, active: number | undefined): void {
  const last = useRef(active);
  useLayoutEffect(() => {
    if (active === undefined || active === last.current) return;
    const link = scroller.current?.querySelector<HTMLElement>('[data-active="true"]');
    if (link === null || link === undefined || Number(link.dataset.id) !== active) return;
    last.current = active;
    // The row that had it may have left the document; a field that somebody types into keeps it.
    const { activeElement } = document;
    const isFree = activeElement === null || activeElement === document.body;
    if (isFree || scroller.current?.contains(activeElement)) link.focus({ preventScroll: true });
  });
}
