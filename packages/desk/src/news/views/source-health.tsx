import type { Source } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import type { Say, Texts } from '../text/texts.ts';

/** The room of a day in the chart, in its own units. */
const DAY = 6;

const HEIGHT = 24;

/** New entries of each day, as bars; the latest is the last one. */
export function DaysChart({ days }: { days: readonly number[] }) {
  const { say, list } = useNews().texts;
  const most = Math.max(1, ...days);
  return (
    <svg
      class="days-chart"
      role="img"
      aria-label={say('daysChart', { counts: list(days.map(String)) })}
      viewBox={`0 0 ${days.length * DAY} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {days.map((count, index) => {
        // A day without entries has a line at the bottom, so that the picture shows all days.
        const height = count === 0 ? 1 : Math.max(2, (HEIGHT * count) / most);
        return (
          <rect
            key={index}
            class={count === 0 ? 'none' : undefined}
            x={index * DAY + 1}
            y={HEIGHT - height}
            width={DAY - 2}
            height={height}
          />
        );
      })}
    </svg>
  );
}

/** The reads without entries after which a source is looked at. */
const EMPTY_READS = 3;

/** The same of pages without a text where an editor says that it is. */
const UNMATCHED_PAGES = 3;

export function SourceState({ source: { state, failures, emptyReads } }: { source: Source }) {
  const { say } = useNews().texts;
  if (state !== 'active') return <span class="badge">{say(`state_${state}`)}</span>;
  if (failures > 0) return <span class="badge bad">{say('failures', { count: failures })}</span>;
  if (emptyReads >= EMPTY_READS)
    return <span class="badge bad">{say('emptyReads', { count: emptyReads })}</span>;
  return <span class="badge on">{say('state_active')}</span>;
}

/** A source's fault, since when, and what to do; undefined if it needs nobody. */
export function troubleOf(source: Source, texts: Texts): string | undefined {
  const { failingSince, stoppedRules, emptyReads, unmatchedPages, state } = source;
  const { say } = texts;
  if (state !== 'active') return undefined;
  if (failingSince !== null) {
    const time = texts.date(Date.parse(failingSince));
    return say('failingSince', { time, reason: faultWords(source, say) });
  }
  if (stoppedRules.length > 0) return say('rulesStopped');
  if (emptyReads >= EMPTY_READS) return say('emptyReadsDo');
  return unmatchedPages >= UNMATCHED_PAGES ? say('unmatchedPagesDo', { pages: unmatchedPages }) : undefined;
}

/** Why a source cannot be read. */
function faultWords({ lastErrorCode }: Source, say: Say): string {
  return say(`problem_${lastErrorCode ?? 'source_unreadable'}`);
}

/** Pauses a source, or goes on with it; either takes the other one back. */
export function useReading(source: Source, onChanged: (source: Source) => void): () => void {
  const { api, edits, texts } = useNews();
  const { id, name, state } = source;
  const [action, back] = state === 'active' ? (['pause', 'resume'] as const) : (['resume', 'pause'] as const);
  const words = texts.say(action === 'pause' ? 'didPause' : 'didResume', { name });
  return () =>
    void edits.attempt(words, async () => {
      onChanged({ ...source, ...(await api.readSource(id, action)) });
      const undo = async () => onChanged({ ...source, ...(await api.readSource(id, back)) });
      edits.did(words, undo, () => undefined);
    });
}
