import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import type { StatusFilter } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import type { TextName } from '../text/texts.ts';

/** The states, in the order in which an article passes them. */
const TABS: Readonly<Record<StatusFilter, TextName>> = {
  all: 'all',
  draft: 'drafts',
  submitted: 'inReview',
  returned: 'returned',
  approved: 'approved',
  scheduled: 'scheduled',
  published: 'published',
  trash: 'trash',
};

/** They stand there only while something is in that state. */
const PASSING: readonly StatusFilter[] = ['returned', 'approved'];

/** The schedule and the trash have neither the text of articles nor their tags. */
export const PLAIN: ReadonlySet<StatusFilter> = new Set(['scheduled', 'trash']);

/** The states of articles, with how many there are, as far as no other filter is set. */
export function StateTabs() {
  const { filters, list, place, texts } = useApp();
  const { say } = texts;
  const { status, text, category, tag, author } = place.value.value;
  const isWhole = [text, category, tag, author].every((value) => value === '');
  const counts = list.counts.value;
  const here = place.pathOf({});
  const isSaved = filters.all.value.some(({ query }) => here === `articles?${query}`);
  const tabs = useRef<HTMLElement>(null);
  // On a phone the tab may lie beyond the edge, such as that of filters that were just saved.
  useEffect(() => {
    const open = tabs.current?.querySelector('[aria-current]');
    open?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [here, isSaved]);
  return (
    <nav ref={tabs} class="states" aria-label={say('status')}>
      {(Object.entries(TABS) as [StatusFilter, TextName][]).map(([value, name]) => {
        const count = counts[value];
        if (PASSING.includes(value) && status !== value && !count) return null;
        return (
          <Link
            key={value}
            // Filters that the schedule and the trash do not have leave the address.
            to={place.pathOf({ status: value, ...(PLAIN.has(value) && { tag: '', mine: false }) })}
            aria-current={value === status && !isSaved ? 'page' : undefined}
          >
            {say(name)}{' '}
            {isWhole && count !== undefined && (
              <span class="state-count">{count.toLocaleString(texts.language.value)}</span>
            )}
          </Link>
        );
      })}
      {filters.all.value.map(({ id, name, query }) => (
        <Link
          key={id}
          class="saved-filter"
          to={`articles?${query}`}
          aria-current={here === `articles?${query}` ? 'page' : undefined}
        >
          <bdi>{texts.name(name)}</bdi>
        </Link>
      ))}
      <Link class="to-calendar" to="articles/calendar">
        <Icon name="calendar" size={15} /> {say('calendar')}
      </Link>
    </nav>
  );
}
