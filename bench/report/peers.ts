import type { Figure } from '../figures/figure.ts';
import { medianOf, membersOf, select, valuesOf } from '../figures/read.ts';
import { drawBars } from './bars.ts';
import { type Picture, printed, type SectionMaker, sectionOf, table } from './section.ts';

/** The name under which Pressroom is measured with its cache, as it is installed. */
const OWN = 'Pressroom';

/** The end of the name under which a server with a cache is measured without it. */
const NO_CACHE = ', no cache';

/**
 * Makes the pictures of what was measured of a service and others: one for all that the same servers were
 * asked for. `alt` says what they show.
 */
export function peersPictures(bench: string, alt: string): SectionMaker {
  return sectionOf(bench, (figures) => {
    const subjectsOf = (what: string) => membersOf(select(figures, { what }), 'subject').join('; ');
    const groups = [...Map.groupBy(membersOf(figures, 'what'), subjectsOf).values()];
    return groups.map((group, index) => {
      const own = figures.filter(({ what }) => group.includes(what));
      return ratesPicture(own, `${bench}-${index + 1}`, `${alt}: ${group.join('; ')}`);
    });
  });
}

/** A table for each thing that was asked for, after the loads under which another server is faster. */
export function peerTables(figures: readonly Figure[]): string {
  const tables = membersOf(figures, 'what').map((what) => peerTable(what, select(figures, { what })));
  return `${fasterPeers(figures)}\n\n${tables.join('\n')}`;
}

/** Bars of each operation with the most connections that it was measured with. */
export function ratesPicture(figures: readonly Figure[], name: string, alt: string): Picture {
  const bars = membersOf(figures, 'what').flatMap((what) => {
    const own = select(figures, { what });
    const connections = Math.max(...valuesOf(own, 'connections').map(Number));
    return select(own, { metric: 'rate', at: { connections } }).map(({ subject, median, at }) => {
      const beside = `p99 ${printed(medianOf(own, { subject, metric: 'p99', at }))} ms`;
      return { group: `${what}, ${connections} connections`, subject, value: median, beside };
    });
  });
  return { name, alt, draw: (theme) => drawBars(bars, theme) };
}

function peerTable(what: string, figures: readonly Figure[]): string {
  const connections = valuesOf(figures, 'connections');
  const most = connections.at(-1);
  const isOfDatabase = select(figures, { metric: 'cpu, database' }).length > 0;
  const rows = membersOf(figures, 'subject').map((subject) => {
    const value = (metric: string, at = most) =>
      medianOf(figures, { subject, metric, at: { connections: at } });
    const of = (metric: string, at = most) => printed(value(metric, at));
    const times = connections.map((at) => `${of('rate', at)} (${of('p50', at)}, ${of('p99', at)})`);
    const ofDatabase = isOfDatabase ? [printed(value('cpu, database') / 1000)] : [];
    return [subject, ...times, of('cpu'), ...ofDatabase, of('memory')];
  });
  const loads = connections.map((value) => (value === 1 ? '1 connection' : `${value}`));
  return table([what, ...loads, 'CPU ms', ...(isOfDatabase ? ['database CPU ms'] : []), 'MiB'], rows);
}

/**
 * Says under which loads another server answers more requests a second than Pressroom, and under which one
 * without a cache does than Pressroom without its own.
 */
export function fasterPeers(figures: readonly Figure[]): string {
  const rates = select(figures, { metric: 'rate' });
  const subjects = membersOf(rates, 'subject');
  const others = rates.filter(({ subject }) => !subject.startsWith(OWN));
  const uncached = others.filter(({ subject }) => !subjects.includes(`${subject}${NO_CACHE}`));
  const own = select(rates, { subject: `${OWN}${NO_CACHE}` });
  const cached = comparedWith({ who: 'other server', than: OWN }, select(rates, { subject: OWN }), others);
  if (own.length === 0) return cached;
  const words = { who: 'other server without a cache', than: `${OWN} without its cache` };
  return `${cached} ${comparedWith(words, own, uncached)}`;
}

/** Says under which loads one of `others` is faster. */
function comparedWith(
  { who, than }: { who: string; than: string },
  own: readonly Figure[],
  others: readonly Figure[],
): string {
  const faster = own.flatMap((load) =>
    select(others, { what: load.what, at: load.at })
      .filter(({ median }) => median > load.median)
      .map(({ subject, what, at, median }) => {
        const times = (median / load.median).toFixed(2);
        return { load, name: `${subject}, ${what}`, by: `${at.connections} (${times} times)` };
      }),
  );
  if (faster.length === 0) return `No ${who} is faster than ${than} under any of the ${own.length} loads.`;
  const loads = new Set(faster.map(({ load }) => load)).size;
  const named = [...Map.groupBy(faster, ({ name }) => name)].map(
    ([name, same]) => `${name}, ${same.map(({ by }) => by).join(', ')}`,
  );
  return `Faster than ${than} under ${loads} of the ${own.length} loads: ${named.join('; ')}.`;
}
