import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import type { Period, Quote, ReportNote, ReportPreview, Tagged } from '../api/types.ts';
import { type News, useNews } from '../news-context.ts';
import { changeQuery, pathTo, placeOf } from '../state/news-place.ts';
import { scoresFor } from '../state/scores.ts';
import { Quotes } from './quotes.tsx';
import { Status } from './status.tsx';
import { TextForm } from './text-form.tsx';
import { Waiting } from './trouble.tsx';
import { useAnswer } from './use-answer.ts';
import { useKeys } from './use-keys.ts';

const PERIODS: readonly Period[] = ['daily', 'weekly', 'monthly'];

/** The next report as it would be published now. */
export function Report() {
  const { address, api, me, texts } = useNews();
  const { say } = texts;
  const { query } = placeOf(address.here.value);
  const period = PERIODS.find((one) => one === query.get('period')) ?? 'daily';
  const [turn, setTurn] = useState(0);
  const isLatest = query.get('of') === 'latest';
  const asked = useAnswer(
    async (signal) => {
      const next = await api.preview(period, undefined, signal);
      const preview = isLatest
        ? await api.preview(period, dateBefore(period, next.value.date), signal)
        : next;
      const isPublished = preview.value.publishedAt !== null;
      return { preview, note: isPublished ? await api.reportNote(preview.value, signal) : undefined };
    },
    `${period} ${isLatest}`,
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
              onClick={() => changeQuery(address, { period: one === 'daily' ? undefined : one })}
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
              onClick={() => changeQuery(address, { of: latest ? 'latest' : undefined })}
            >
              {say(latest ? 'latestReport' : 'nextReport')}
            </button>
          ))}
        </div>
        <span class="space" />
        {value !== undefined && me.may('edit') && (
          <PublishButtons preview={value.preview} isEarly={!isLatest} onDone={again} />
        )}
      </div>
      {value === undefined && <Waiting asked={asked} />}
      {value?.note !== undefined && (
        <Correction report={value.preview.value} note={value.note} onSaved={again} />
      )}
      {value !== undefined && <Preview preview={value.preview.value} onChanged={again} />}
      <Status words={say('items', { count: quotes })} />
    </>
  );
}

interface CorrectionProps {
  report: ReportPreview;
  note: Tagged<ReportNote>;
  onSaved: () => void;
}

/** What was wrong with a published report, of whatever day. */
function Correction({ report, note, onSaved }: CorrectionProps) {
  const { api, edits, me, texts } = useNews();
  const { say } = texts;
  const { correction } = note.value;
  return (
    <fieldset class="as-one reading" disabled={!me.may('edit')}>
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
  );
}

/** The date of the report before the one of a date. */
function dateBefore(period: Period, date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  if (period === 'monthly') day.setUTCMonth(day.getUTCMonth() - 1);
  else day.setUTCDate(day.getUTCDate() - (period === 'daily' ? 1 : 7));
  return day.toISOString().slice(0, 10);
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
  const { api, edits, texts } = useNews();
  const { say } = texts;
  const { value, etag } = preview;
  const [isAsking, setAsking] = useState(false);
  const isPublished = value.publishedAt !== null;
  const send = async () => {
    setAsking(false);
    const words = say(isPublished ? 'didCorrect' : 'didPublish', { period: say(value.period) });
    await edits.attempt(words, async () => {
      if (isPublished) edits.made(words, [(await api.correct(value, etag)).edit], onDone);
      else edits.say((await api.publish(value, etag)).outcome === 'published' ? words : say('notPublished'));
    });
    onDone();
  };
  const title = say(isPublished ? 'correctTitle' : 'publishTitle', { period: say(value.period) });
  const hour = texts.date(Date.parse(value.windowEnd));
  const hint = isPublished ? say('correctHint') : isEarly ? say('earlyHint', { hour }) : say('publishHint');
  const button = say(isPublished ? 'correct' : isEarly ? 'publishEarly' : 'publishNow');
  return (
    <>
      <Button kind="primary" disabled={value.report === null} onClick={() => setAsking(true)}>
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

function Preview({ preview, onChanged }: { preview: ReportPreview; onChanged: () => void }) {
  const news = useNews();
  const { me, texts } = news;
  const { say } = texts;
  const { date, windowStart, windowEnd, publishedAt, report, period } = preview;
  const [focused, setFocused] = useState<string>();
  const place = useRef<HTMLDivElement>(null);
  // The item that was moved keeps the focus.
  useEffect(() => {
    if (focused === undefined) return;
    place.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  }, [preview]);
  const move = (quote: Quote, order: readonly Quote[], by: -1 | 1) => {
    const from = order.indexOf(quote);
    const to = from + by;
    if (!me.may('edit') || to < 0 || to >= order.length) return;
    setFocused(quote.itemId);
    const ids = order.map(({ itemId }) => itemId).filter((id) => id !== quote.itemId);
    void reorder(
      news,
      ids.toSpliced(to, 0, quote.itemId),
      to,
      say('didMove', { title: quote.title }),
      onChanged,
    );
  };
  const lead = (quote: Quote) => {
    const current = report?.lead?.itemId;
    if (!me.may('edit') || current === undefined || current === quote.itemId) return;
    setFocused(quote.itemId);
    void reorder(news, [quote.itemId, current], 0, say('didLead', { title: quote.title }), onChanged);
  };
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
        {say('reportWindow', {
          from: texts.date(Date.parse(windowStart)),
          to: texts.date(Date.parse(windowEnd)),
        })}{' '}
        {publishedAt === null
          ? say('notYetPublished')
          : say('publishedAt', { time: texts.date(Date.parse(publishedAt)) })}
      </p>
      {report === null ? (
        <div class="empty">
          <Icon name="news" size={32} />
          <p class="empty-title">{say('emptyReport')}</p>
          <p class="hint">{say('emptyReportHint')}</p>
          <Link class="button plain" to={pathTo('today')}>
            {say('today')}
          </Link>
        </div>
      ) : (
        <>
          {report.lead !== null && (
            <section class="lead">
              <p class="lead-label">{say('lead')}</p>
              <h3 dir="auto">{texts.name(report.lead.title)}</h3>
              <p dir="auto">{report.lead.leadParagraph}</p>
            </section>
          )}
          {report.sections.map(({ label, items }) => (
            <section key={label}>
              <h3>{label}</h3>
              <Quotes quotes={items} lead={report.lead?.itemId} onMove={move} onLead={lead} />
            </section>
          ))}
          {report.flashes.length > 0 && (
            <section>
              <h3>{say('flashes')}</h3>
              <Quotes quotes={report.flashes} lead={report.lead?.itemId} onMove={move} />
            </section>
          )}
        </>
      )}
    </div>
  );
}
