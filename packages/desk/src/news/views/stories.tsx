import { useEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { useRows } from '../../shared/views/use-rows.ts';
import { useWide } from '../../shared/views/use-wide.ts';
import type { ListedStory } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { pathTo, placeOf } from '../state/news-place.ts';
import { Pages } from '../state/pages.ts';
import { Status } from './status.tsx';
import { StoryPanel } from './story-panel.tsx';
import { Trouble } from './trouble.tsx';
import { useKeys } from './use-keys.ts';
import { useLineKeys } from './use-line-keys.ts';

const HEIGHT = 88;

/** The lines before the last one at which the next page is requested. */
const AHEAD = 12;

const heightOf = () => HEIGHT;

/** Stories, and up to two of them side by side. */
export function Stories() {
  const { address, api, texts } = useNews();
  const { say } = texts;
  const { query } = placeOf(address.here.value);
  const [pages] = useState(() => new Pages<ListedStory>());
  const [turn, setTurn] = useState(0);
  useEffect(() => void pages.begin((cursor, signal) => api.stories(cursor, signal)), [api, pages]);
  const changed = () => {
    setTurn((one) => one + 1);
    void pages.refresh();
  };
  const [a, b] = [query.get('a') ?? undefined, query.get('b') ?? undefined];
  const entries = pages.entries.value;
  const state = pages.state.value;
  const problem = pages.problem.value;
  const open = (left: string | undefined, right?: string) =>
    address.go(pathTo('stories', { query: { a: left, b: right } }));
  return (
    <>
      <div class={a === undefined ? 'beside stories' : 'beside stories open'}>
        <div class="beside-list">
          {entries.length > 0 ? (
            <StoryList
              stories={entries}
              chosen={[a, b]}
              isMore={state === 'more'}
              onMore={() => void pages.more()}
              onCompare={(id) => open(a ?? id, a === undefined || a === id ? undefined : id)}
            />
          ) : problem !== undefined ? (
            <Trouble problem={problem} onRetry={() => void pages.retry()} />
          ) : state === 'loading' ? (
            <Loading />
          ) : (
            <div class="empty">
              <Icon name="news" size={32} />
              <p class="empty-title">{say('noStories')}</p>
            </div>
          )}
        </div>
        {a !== undefined && (
          <div class="panels-beside">
            <Link class="button quiet back narrow" to={pathTo('stories')}>
              <Icon name="previous" />
              <span>{say('stories')}</span>
            </Link>
            {[a, b].map((id, index) =>
              id === undefined ? null : (
                <StoryPanel
                  key={id}
                  id={id}
                  other={index === 0 ? b : a}
                  turn={turn}
                  onChanged={changed}
                  onClose={() => open(index === 0 ? b : a)}
                  onMerged={(into) => open(into)}
                />
              ),
            )}
          </div>
        )}
      </div>
      <Status words={say(state === 'complete' ? 'storyCount' : 'storiesSoFar', { count: entries.length })} />
    </>
  );
}

interface StoryListProps {
  stories: readonly ListedStory[];
  chosen: readonly (string | undefined)[];
  isMore: boolean;
  onMore: () => void;
  onCompare: (id: string) => void;
}

function StoryList({ stories, chosen, isMore, onMore, onCompare }: StoryListProps) {
  const { texts } = useNews();
  const { say } = texts;
  const scroller = useRef<HTMLDivElement>(null);
  const isWide = useWide();
  const rows = useRows(scroller, { count: stories.length, heightOf, overscan: 8 });
  const isAtEnd = isMore && (rows.items.at(-1)?.index ?? 0) >= stories.length - AHEAD;
  useEffect(() => {
    if (isAtEnd) onMore();
  }, [isAtEnd, stories.length]);
  useLineKeys(scroller);
  useKeys({
    c: () => {
      const id = (document.activeElement as HTMLElement | null)?.dataset.story;
      if (id !== undefined) onCompare(id);
    },
  });
  return (
    <div ref={scroller} class="lines-scroller" tabIndex={-1}>
      <ul class="lines-all" aria-label={say('stories')} style={{ height: `${rows.total}px` }}>
        {rows.items.map(({ index, start }) => {
          const story = stories[index];
          if (story === undefined) return null;
          const { publicId, title, digest, reportCount, latest } = story;
          const lead = latest === null || latest.title === title ? digest : latest.title;
          const isOpen = chosen.includes(publicId);
          const facts = [
            say('reports', { count: reportCount }),
            ...(latest === null ? [] : [texts.ago(latest.publishedAt)]),
          ];
          return (
            <li
              key={publicId}
              class={isOpen ? 'story-line selected' : 'story-line'}
              aria-posinset={index + 1}
              aria-setsize={isMore ? -1 : stories.length}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span class="item-words">
                <Link
                  class="item-title"
                  to={pathTo('stories', { query: { a: publicId } })}
                  aria-current={isOpen ? 'true' : undefined}
                  data-story={publicId}
                  dir="auto"
                >
                  {texts.name(title)}
                </Link>
                {lead !== null && (
                  <span class="story-lead" dir="auto">
                    {texts.name(lead)}
                  </span>
                )}
                <span class="item-facts">{facts.join(' · ')}</span>
              </span>
              {isWide && (
                <span>
                  <IconButton
                    icon="compare"
                    label={say('compareOne', { title })}
                    onClick={() => onCompare(publicId)}
                  />
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
