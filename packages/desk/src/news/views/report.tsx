import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import type { Period, Quote, ReportNote, ReportPreview, Tagged } from '../api/types.ts';
import { type News, useNews } from '../news-context.ts';
import { changeQuery, pathTo, placeOf } from '../state/news-place.ts';
import { reportAfter, reportWith } from '../state/report-dates.ts';
import { scoresFor } from '../state/scores.ts';
import { type MoveQuote, Quotes } from './quotes.tsx';
import { Status } from './status.tsx';
import { TextForm } from './text-form.tsx';
import { Waiting } from './trouble.tsx';
import { useAnswer } from './use-answer.ts';
import { useKeys } from './use-keys.ts';

const PERIODS: readonly Period[] = ['daily', 'weekly', 'monthly'];

/** The next report as it would be published now. */
export function Report() {
  const { address, api, me, texts, vocabulary } = useNews();
  const { say } = texts;
  const { query } = placeOf(address.here.value);
  const period = PERIODS.find((one) => one === query.get('period')) ?? 'daily';
  const [turn, setTurn] = useState(0);
  const isLatest = query.get('of') === 'latest';
  const date = query.get('date') ?? '';
  const asked = useAnswer(
    async (signal) => {
      const due = await api.preview(period, undefined, signal);
      // One that was published early is the latest before its hour.
      const isOut = due.value.publishedAt !== null;
      const latest = reportAfter(period, due.value.date, isOut ? 0 : -1);
      const next = isOut ? await api.preview(period, reportAfter(period, latest, 1), signal) : due;
      const day = isDate(date) && date < latest ? reportWith(period, date) : latest;
      const preview = isLatest ? await api.preview(period, day, signal) : next;
      const { publishedAt, windowEnd } = preview.value;
      const note = publishedAt === null ? undefined : await api.reportNote(preview.value, signal);
      // The newsroom has the days of its zone, and publishes again what is of today.
      const today = dayIn(vocabulary.value?.zone, Date.now());
      const isPast = isLatest && dayIn(vocabulary.value?.zone, Date.parse(windowEnd)) < today;
      return { preview, note, latest, isPast };
    },
    `${period} ${isLatest} ${date}`,
    { turn },
  );
  const again = () => setTurn((one) => one + 1);
  const { value } = asked;
  const quotes = value === undefined ? 0 : quotesOf(value.preview.value).length;
  return (
    <>
      <div class="toolbar filters">
        <div class="switch" role="group" aria-label={say('period')}>
          {PERIODS.map((one) => (
            <button
              key={one}
              type="button"
              class="icon-button words"
              aria-pressed={one === period}
              onClick={() =>
                changeQuery(address, { period: one === 'daily' ? undefined : one, date: undefined })
              }
            >
              {say(one)}
            </button>
          ))}
        </div>
        <div class="switch" role="group" aria-label={say('whichReport')}>
          {[false, true].map((latest) => (
            <button
              key={String(latest)}
              type="button"
              class="icon-button words"
              aria-pressed={latest === isLatest}
              onClick={() => changeQuery(address, { of: latest ? 'latest' : undefined, date: undefined })}
            >
              {say(latest ? 'latestReport' : 'nextReport')}
            </button>
          ))}
        </div>
        {isLatest && value !== undefined && (
          <PastReports {...{ period }} date={value.preview.value.date} latest={value.latest} />
        )}
        <span class="space" />
        {value !== undefined && me.may('edit') && !value.isPast && (
          <PublishButtons preview={value.preview} isEarly={!isLatest} onDone={again} />
        )}
      </div>
      {value === undefined && <Waiting asked={asked} />}
      {value?.note !== undefined && (
        <Correction report={value.preview.value} note={value.note} onSaved={again} />
      )}
      {value !== undefined && (
        <Preview preview={value.preview.value} isPast={value.isPast} onChanged={again} />
      )}
      <Status words={say('items', { count: quotes })} />
    </>
  );
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** The day of a time in a zone, such as `2026-11-30`. */
function dayIn(timeZone: string | undefined, ms: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(ms);
}

/** Leads to the reports that were published before, by their dates. */
function PastReports({ period, date, latest }: { period: Period; date: string; latest: string }) {
  const { address, texts } = useNews();
  const { say } = texts;
  const go = (to: string) => isDate(to) && changeQuery(address, { date: to < latest ? to : undefined });
  return (
    <div class="switch" role="group" aria-label={say('pastReports')}>
      <IconButton
        icon="previous"
        label={say('earlierReport')}
        onClick={() => go(reportAfter(period, date, -1))}
      />
      <input
        type="date"
        aria-label={say('reportDate')}
        max={latest}
        value={date}
        onChange={({ currentTarget }) => go(currentTarget.value)}
      />
      <IconButton
        icon="next"
        label={say('laterReport')}
        disabled={date >= latest}
        onClick={() => go(reportAfter(period, date, 1))}
      />
    </div>
  );
}

interface CorrectionProps {
  report: ReportPreview;
  note: Tagged<ReportNote>;
  onSaved: () => void;
}

/** The correction of a published report of any day. */
function Correction({ report, note, onSaved }: CorrectionProps) {
  const { api, edits, me, texts } = useNews();
  const { say } = texts;
  const { correction } = note.value;
  return (
    <details class="reading" open={correction !== null}>
      <summary>{say('correctWords')}</summary>
      <fieldset class="as-one" disabled={!me.may('edit')}>
        <TextForm
          key={`${report.period} ${report.date} ${correction}`}
          label={say('correction')}
          rows={2}
          hint={say('correctionHint')}
          before={{ value: correction, etag: note.etag }}
          read={async () => {
            const { value, etag } = await api.reportNote(report);
            return { value: value.correction, etag };
          }}
          write={async (text, etag) => {
            const { edit } = await api.noteOnReport(report, text, etag);
            edits.made(say('didNote', { what: say(report.period) }), [edit], onSaved);
            onSaved();
          }}
          onReread={onSaved}
        />
      </fieldset>
    </details>
  );
}

function quotesOf({ report }: ReportPreview): readonly Quote[] {
  return [...(report?.sections.flatMap(({ items }) => items) ?? []), ...(report?.flashes ?? [])];
}

interface PublishButtonsProps {
  preview: Tagged<ReportPreview>;
  /** True before the hour of the report. */
  isEarly: boolean;
  onDone: () => void;
}

/** Publishes a report, or corrects what has been published; what was previewed, or nothing. */
function PublishButtons({ preview, isEarly, onDone }: PublishButtonsProps) {
  const news = useNews();
  const { address, api, edits, texts } = news;
  const { say } = texts;
  const { value, etag } = preview;
  const [isAsking, setAsking] = useState(false);
  const isPublished = value.publishedAt !== null;
  const send = async () => {
    setAsking(false);
    const words = say(isPublished ? 'didCorrect' : 'didPublish', { period: say(value.period) });
    await edits.attempt(words, async () => {
      if (isPublished) edits.made(words, [(await api.correct(value, etag)).edit], onDone);
      else if ((await api.publish(value, etag)).outcome === 'published') {
        edits.say(words);
        changeQuery(address, { of: 'latest' });
      } else edits.say(say('notPublished'));
    });
    onDone();
  };
  const title = say(isPublished ? 'correctTitle' : 'publishTitle', { period: say(value.period) });
  const hour = zoned(news, value.windowEnd);
  const hint = isPublished ? say('correctHint') : isEarly ? say('earlyHint', { hour }) : say('publishHint');
  const button = say(isPublished ? 'correct' : isEarly ? 'publishEarly' : 'publishNow');
  return (
    <>
      <Button
        kind="primary"
        disabled={value.report === null || Date.parse(value.windowStart) > Date.now()}
        onClick={() => setAsking(true)}
      >
        {button}
      </Button>
      {isAsking && (
        <Modal title={title} onClose={() => setAsking(false)}>
          <p class="hint">{hint}</p>
          <div class="modal-buttons">
            <Button onClick={() => setAsking(false)}>{say('cancel')}</Button>
            <Button kind="primary" onClick={() => void send()} autofocus>
              {button}
            </Button>
          </div>
        </Modal>
      )}
    </>
  );
}

/** A time in the zone of reports, with the name of that zone: readers of the desk may have another. */
function zoned({ texts, vocabulary }: News, time: string): string {
  const { zone } = vocabulary.value ?? {};
  return `${texts.date(Date.parse(time), 'short', zone)} (${texts.zoneName(zone)})`;
}

/** Moves an item of the report: scores decide the order. */
async function reorder(news: News, order: readonly string[], at: number, words: string, after: () => void) {
  const { api, edits } = news;
  await edits.attempt(words, async () => {
    const items = await Promise.all(order.map((id) => api.item(id)));
    const scored = items.map(({ value: { id, score } }) => ({ id, score: score ?? 0 }));
    const made: (number | null)[] = [];
    for (const { id, score } of scoresFor(scored, at)) {
      const etag = items.find(({ value }) => value.id === id)?.etag ?? null;
      made.push((await api.changeItem(id, { score }, etag)).edit);
    }
    edits.made(words, made, after);
  });
  after();
}

interface PreviewProps {
  preview: ReportPreview;
  /** True once its day is over: it stays as it was published. */
  isPast: boolean;
  onChanged: () => void;
}

function Preview({ preview, isPast, onChanged }: PreviewProps) {
  const news = useNews();
  const { me, texts, vocabulary } = news;
  const { say } = texts;
  const { date, windowStart, windowEnd, publishedAt, period } = preview;
  const report = isPast ? preview.published : preview.report;
  const canEdit = me.may('edit') && !isPast;
  const leading = report?.lead?.itemId;
  const [focused, setFocused] = useState<string>();
  const [dragged, setDragged] = useState<Quote>();
  const time = (at: string) => texts.date(Date.parse(at), 'short', vocabulary.value?.zone);
  const place = useRef<HTMLDivElement>(null);
  // The item that was moved keeps the focus.
  useEffect(() => {
    if (focused === undefined) return;
    place.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  }, [preview]);
  /** @param above the items that stay above those of `order` */
  const move = (quote: Quote, order: readonly Quote[], to: number, above: readonly string[] = []) => {
    if (!canEdit || to < 0 || to >= order.length || order[to] === quote) return;
    setFocused(quote.itemId);
    const ids = order.map(({ itemId }) => itemId).filter((id) => id !== quote.itemId);
    void reorder(
      news,
      [...above, ...ids.toSpliced(to, 0, quote.itemId)],
      above.length + to,
      say('didMove', { title: quote.title }),
      onChanged,
    );
  };
  const lead = (quote: Quote) => {
    if (!canEdit || leading === undefined || leading === quote.itemId) return;
    setFocused(quote.itemId);
    void reorder(news, [quote.itemId, leading], 0, say('didLead', { title: quote.title }), onChanged);
  };
  // An item that only moves in its section does not lead.
  const moveBelowLead: MoveQuote = (quote, order, to) => move(quote, order, to, leading ? [leading] : []);
  const sections = report?.sections.flatMap(({ label, items }) => {
    const others = items.filter(({ itemId }) => itemId !== leading);
    return others.length === 0 ? [] : [{ label, items: others }];
  });
  const quoteAt = () => {
    const id = document.activeElement?.closest<HTMLElement>('[data-id]')?.dataset.id;
    return quotesOf(preview).find(({ itemId }) => itemId === id);
  };
  useKeys({
    l: () => {
      const quote = quoteAt();
      if (quote !== undefined) lead(quote);
    },
  });
  return (
    <div ref={place} class="reading report">
      <h2>{say('reportTitle', { period: say(period), day: texts.day(date) })}</h2>
      <p class="hint">
        {texts.sentences(
          say('reportWindow', {
            ...{ from: time(windowStart), to: time(windowEnd) },
            zone: texts.zoneName(vocabulary.value?.zone),
          }),
          publishedAt !== null
            ? say(isPast ? 'publishedThen' : 'publishedAt', { time: zoned(news, publishedAt) })
            : !isPast && say('notYetPublished'),
        )}
      </p>
      {report === null ? (
        <div class="empty">
          <Icon name="news" size={32} />
          <p class="empty-title">{say(isPast ? 'noReportThen' : 'emptyReport')}</p>
          {!isPast && (
            <>
              <p class="hint">{say('emptyReportHint')}</p>
              <Link class="button plain" to={pathTo('today')}>
                {say('today')}
              </Link>
            </>
          )}
        </div>
      ) : (
        <>
          {report.lead !== null && (
            <div
              class="lead"
              role="group"
              aria-label={say('lead')}
              tabIndex={-1}
              data-id={leading}
              onDragOver={(event) => dragged !== undefined && event.preventDefault()}
              onDrop={() => dragged !== undefined && lead(dragged)}
            >
              <p class="lead-label">{say('lead')}</p>
              <h3 dir="auto">{texts.name(report.lead.title)}</h3>
              <p dir="auto">{report.lead.leadParagraph}</p>
            </div>
          )}
          {sections?.map(({ label, items }) => (
            <section key={label}>
              <h3>{label}</h3>
              <Quotes
                quotes={items}
                canMove={canEdit}
                onDrag={setDragged}
                onMove={moveBelowLead}
                onLead={lead}
              />
            </section>
          ))}
          {report.flashes.length > 0 && (
            <section>
              <h3>{say('flashes')}</h3>
              <Quotes quotes={report.flashes} canMove={canEdit} onMove={move} />
            </section>
          )}
        </>
      )}
    </div>
  );
}
