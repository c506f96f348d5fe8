import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { useTitle } from '../../shared/desk.ts';
import { localTime, zonedTime } from '../../shared/state/local-time.ts';
import { localized } from '../../shared/text/texts.ts';
import { IconButton } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link, onGo } from '../../shared/views/link.tsx';
import { ProblemView, problemWords } from '../../shared/views/problem-view.tsx';
import { ZoneHint } from '../../shared/views/zone-hint.tsx';
import { type Entry, MOST_PUBLISHED, Plans } from '../api/plans.ts';
import { useApp } from '../app-context.ts';
import { daysOf, laterDay, laterSpan, SPANS, type Span } from '../state/calendar-days.ts';
import { pageOf } from '../state/site-page.ts';
import { MoveDialog } from './move-dialog.tsx';

/** The keys that move a plan, with Shift, by so many days. */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** Planned and published articles, on their days. */
export function CalendarPage() {
  const { address, texts } = useApp();
  const { say, zone, language } = texts;
  const { query } = address.here.value;
  const today = dayOf(Date.now(), zone.value);
  const span = SPANS.find((one) => one === query.get('span')) ?? 'month';
  const asked = query.get('day') ?? '';
  const day = /^2\d{3}-\d\d-\d\d$/.test(asked) && !Number.isNaN(Date.parse(asked)) ? asked : today;
  const days = useMemo(() => daysOf(span, day, firstDay()), [span, day]);
  const { entries, problem, reload, move, refused } = useEntries(days);
  const format = (options: Intl.DateTimeFormatOptions) =>
    localized((locale) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }), language.value);
  const named = format({ year: 'numeric', month: 'long' });
  const [first = day, last = day] = [days[0], days.at(-1)];
  const title =
    span === 'month'
      ? named.format(new Date(day))
      : format({ dateStyle: 'medium' }).formatRange(new Date(first), new Date(last));
  useTitle(say('calendar'), title);
  const go = (to: string) => address.go(pathOf(span, to));
  const published = (entries ?? []).filter(({ kind }) => kind === 'published').length;
  const byDay = Map.groupBy(entries ?? [], ({ at }) => dayOf(at, zone.value));
  return (
    <>
      <div class="toolbar calendar-tools">
        <IconButton
          icon="previous"
          label={say(`earlier_${span}`)}
          onClick={() => go(laterSpan(span, day, -1))}
        />
        <IconButton icon="next" label={say(`later_${span}`)} onClick={() => go(laterSpan(span, day, 1))} />
        <h1 aria-live="polite">{title}</h1>
        <Link class="button plain" to={pathOf(span, today)}>
          {say('today')}
        </Link>
        <Link class="button plain" to="articles">
          <Icon name="table" />
          <span>{say('asList')}</span>
        </Link>
        <nav class="calendar-spans" aria-label={say('span')}>
          {SPANS.map((one) => (
            <Link key={one} to={pathOf(one, day)} aria-current={one === span ? 'page' : undefined}>
              {say(one)}
            </Link>
          ))}
        </nav>
      </div>
      {problem !== undefined && (
        <ProblemView problem={problem} words={problemWords(problem, say)} onRetry={() => void reload()} />
      )}
      <div class={`calendar ${span}`}>
        <ol class="calendar-days" aria-label={title} aria-busy={entries === undefined}>
          {days.map((one) => (
            <Day
              key={one}
              day={one}
              label={format({ weekday: 'short', day: 'numeric', month: 'short' }).format(new Date(one))}
              isToday={one === today}
              isOther={span === 'month' && one.slice(0, 7) !== day.slice(0, 7)}
              entries={byDay.get(one) ?? []}
              onMove={move}
            />
          ))}
        </ol>
        {entries?.length === 0 && <p class="hint calendar-none">{say('calendarNone')}</p>}
        {published >= MOST_PUBLISHED && <p class="hint">{say('calendarCut', { count: published })}</p>}
      </div>
      <footer class="status calendar-status">
        <ZoneHint />
        <Hint />
        <span class="form-problem" role="alert">
          {refused}
        </span>
      </footer>
    </>
  );
}

function Hint() {
  const { me, texts } = useApp();
  if (!me.may('edit')) return null;
  return (
    <p class="hint">
      <kbd>Shift + ← → ↑ ↓</kbd> {texts.say('moveHint')}
    </p>
  );
}

interface DayProps {
  day: string;
  label: string;
  isToday: boolean;
  /** True for a day of the month before or after. */
  isOther: boolean;
  entries: readonly Entry[];
  /** Moves a plan from its time, such as `2026-11-25T18:00`, to another; returns why it was not moved. */
  onMove: (key: string, later: (from: string) => string) => Promise<ApiProblem | undefined>;
}

function Day({ day, label, isToday, isOther, entries, onMove }: DayProps) {
  const [isOver, setOver] = useState(false);
  const look = [isToday && 'today', isOther && 'other', isOver && 'over', entries.length === 0 && 'free'];
  return (
    <li
      class={['calendar-day', ...look].filter(Boolean).join(' ')}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes(DRAGGED)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        const key = event.dataTransfer?.getData(DRAGGED) ?? '';
        if (key === '') return;
        event.preventDefault();
        setOver(false);
        void onMove(key, (from) => `${day}${from.slice(10)}`);
      }}
    >
      <time dateTime={day} aria-current={isToday ? 'date' : undefined}>
        {label}
      </time>
      {entries.length > 0 && (
        <ul>
          {entries.map((entry) => (
            <EntryLine key={entry.key} entry={entry} onMove={onMove} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The kind of what is dragged. */
const DRAGGED = 'application/x-pressroom-plan';

function EntryLine({ entry, onMove }: { entry: Entry } & Pick<DayProps, 'onMove'>) {
  const { me, place, site, texts } = useApp();
  const { say } = texts;
  const [isMoving, setMoving] = useState(false);
  const { key, kind, id, slug, title, author, release, at } = entry;
  const isMovable = me.may('edit') && (kind === 'release' || (kind === 'planned' && release === null));
  const page = kind === 'published' ? pageOf(site.value, { id, slug }) : undefined;
  const name = texts.title(title);
  const about = [say(`entry_${kind}`), author, kind === 'planned' && release !== null && release];
  const attributes = {
    class: `calendar-entry ${kind}`,
    'data-entry': key,
    title: about.filter(Boolean).join(' · '),
    ...(isMovable && {
      draggable: true,
      'aria-keyshortcuts': 'Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown',
      onDragStart: (event: DragEvent) => event.dataTransfer?.setData(DRAGGED, key),
      onKeyDown: (event: KeyboardEvent) => {
        const days = event.shiftKey ? STEPS[event.key] : undefined;
        if (days === undefined) return;
        event.preventDefault();
        void onMove(key, (from) => `${laterDay(from.slice(0, 10), days)}${from.slice(10)}`);
      },
    }),
  };
  const words = (
    <>
      <span class="calendar-time">{texts.part(at, 'time')}</span> <bdi>{name}</bdi>{' '}
      <span class="unseen">{say(`entry_${kind}`)}</span>
    </>
  );
  return (
    <li>
      {id === undefined ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move it.
        <span tabIndex={0} {...attributes}>
          {words}
        </span>
      ) : (
        <a {...attributes} href={place.hrefOf(id)} onClick={onGo(() => place.open(id))}>
          {words}
        </a>
      )}
      {isMovable && (
        <IconButton
          icon="calendar"
          label={say('moveTo', { title: name })}
          aria-haspopup="dialog"
          onClick={() => setMoving(true)}
        />
      )}
      {page !== undefined && (
        <a
          class="icon-button"
          href={page}
          target="_blank"
          rel="noreferrer"
          aria-label={say('labelled', { label: say('seeOnSite'), value: name })}
          title={say('seeOnSite')}
        >
          <Icon name="link" />
        </a>
      )}
      {isMoving && (
        <MoveDialog entry={entry} onMove={(to) => onMove(key, () => to)} onClose={() => setMoving(false)} />
      )}
    </li>
  );
}

/** The days' articles, and their moves, one after the other. */
function useEntries(days: readonly string[]) {
  const { connection, notices, service, texts } = useApp();
  const { say, zone } = texts;
  const plans = useMemo(() => new Plans(service), [service]);
  const [entries, setEntries] = useState<readonly Entry[]>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [refused, setRefused] = useState<string>();
  const latest = useRef<readonly Entry[]>([]);
  const turn = useRef(0);
  const moves = useRef<Promise<unknown>>(Promise.resolve());
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const reload = async () => {
    turn.current += 1;
    const mine = turn.current;
    const startOf = (day: string) => Date.parse(zonedTime(`${day}T00:00`, zone.peek()) ?? '');
    try {
      const found = await plans.between(startOf(first), startOf(laterDay(last, 1)));
      if (mine !== turn.current) return;
      latest.current = found;
      setEntries(found);
      setProblem(undefined);
    } catch (error) {
      if (mine === turn.current) setProblem(asProblem(error));
    }
  };
  const returns = connection.returns.value;
  useEffect(() => void reload(), [first, last, zone.value, returns]);
  const moveTo = async (key: string, later: (from: string) => string) => {
    const entry = latest.current.find((one) => one.key === key);
    if (entry === undefined) return undefined;
    const from = localTime(new Date(entry.at).toISOString(), zone.peek());
    const local = later(from);
    if (local === from) return undefined;
    // The seconds of a plan are not shown, and stay.
    const to = Date.parse(zonedTime(local, zone.peek()) ?? '') + (entry.at % 60_000);
    const failed = await plans.move(entry, to).then(() => undefined, asProblem);
    setRefused(failed && say('notChanged', { reason: problemWords(failed, say) }));
    if (failed === undefined)
      notices.done(say('moved', { title: entry.title, date: texts.date(to) }), async () => {
        await plans.move({ ...entry, at: to }, entry.at);
        await reload();
      });
    await reload();
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-entry="${CSS.escape(key)}"]`)?.focus(),
    );
    return failed;
  };
  const move = (key: string, later: (from: string) => string) => {
    const moved = moves.current.then(() => moveTo(key, later));
    moves.current = moved;
    return moved;
  };
  return { entries, problem, refused, reload, move };
}

function pathOf(span: Span, day: string): string {
  return `articles/calendar?span=${span}&day=${day}`;
}

/** The day of a time in a zone. */
function dayOf(ms: number, zone: string | undefined): string {
  return localTime(new Date(ms).toISOString(), zone).slice(0, 10);
}

/** The day with which weeks begin where the browser is, 0 for Sunday; Monday if it does not know. */
function firstDay(): number {
  const locale: Intl.Locale & { getWeekInfo?: () => { firstDay: number } } = new Intl.Locale(
    navigator.language,
  );
  return (locale.getWeekInfo?.().firstDay ?? 1) % 7;
}
