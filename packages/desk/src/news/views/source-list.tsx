import { useCallback, useMemo, useRef } from 'preact/hooks';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import { useRows } from '../../shared/views/use-rows.ts';
import type { Source } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { pathTo } from '../state/news-place.ts';
import { DaysChart, SourceState, troubleOf, useReading } from './source-health.tsx';
import { useLineKeys } from './use-line-keys.ts';

const HEIGHT = 68;

/** The height of a line with what is wrong, and what to do. */
const TALL = 104;

/** Sources, one a line; only what can be seen is in the document. */
export function SourceList({
  sources,
  onChanged,
}: {
  sources: readonly Source[];
  onChanged: (source: Source) => void;
}) {
  const { texts } = useNews();
  const { say } = texts;
  const scroller = useRef<HTMLDivElement>(null);
  const troubles = useMemo(() => sources.map((source) => troubleOf(source, texts)), [sources, texts]);
  const heightOf = useCallback(
    (index: number) => (troubles[index] === undefined ? HEIGHT : TALL),
    [troubles],
  );
  const rows = useRows(scroller, { count: sources.length, heightOf, overscan: 8 });
  useLineKeys(scroller);
  return (
    <div ref={scroller} class="lines-scroller" tabIndex={-1}>
      <ul class="lines-all" aria-label={say('sources')} style={{ height: `${rows.total}px` }}>
        {rows.items.map(({ index, start }) => {
          const source = sources[index];
          if (source === undefined) return null;
          const place = { row: index + 1, of: sources.length, start, trouble: troubles[index] };
          return <SourceLine key={source.id} source={source} {...place} onChanged={onChanged} />;
        })}
      </ul>
    </div>
  );
}

interface SourceLineProps {
  source: Source;
  row: number;
  of: number;
  start: number;
  /** Its fault. */
  trouble: string | undefined;
  onChanged: (source: Source) => void;
}

function SourceLine({ source, row, of, start, trouble, onChanged }: SourceLineProps) {
  const { me, texts } = useNews();
  const { say } = texts;
  const { id, url, name, state, day, days, nextPollAt, lastPolledAt } = source;
  const read = useReading(source, onChanged);
  const times = [
    ...(lastPolledAt === null ? [] : [say('readAgo', { time: texts.ago(lastPolledAt) })]),
    ...(state === 'active' && nextPollAt !== null ? [say('nextIn', { time: texts.ago(nextPollAt) })] : []),
  ];
  return (
    <li
      class={trouble === undefined ? 'source-line' : 'source-line troubled'}
      aria-posinset={row}
      aria-setsize={of}
      style={{ transform: `translateY(${start}px)` }}
    >
      <span class="item-words">
        <Link to={pathTo('sources', { id: String(id) })} class="item-title">
          {texts.name(name)}
        </Link>
        <span class="item-facts">{trouble ?? url}</span>
      </span>
      <span class="source-chart">
        <DaysChart days={days} />
        <span class="source-day">{say('inADay', { count: day })}</span>
      </span>
      <span class="source-times">
        {times.map((time) => (
          <span key={time}>{time}</span>
        ))}
      </span>
      <span class="source-state">
        <SourceState source={source} />
      </span>
      <span>
        {me.may('edit') && (
          <button
            type="button"
            class="icon-button"
            aria-label={say(state === 'active' ? 'pauseOne' : 'resumeOne', { name })}
            title={say(state === 'active' ? 'pause' : 'resume')}
            onClick={read}
          >
            <Icon name={state === 'active' ? 'pause' : 'resume'} />
          </button>
        )}
      </span>
    </li>
  );
}
