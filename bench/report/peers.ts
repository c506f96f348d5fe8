import type { Figure, FiguresFile } from '../figures/figure.ts';
import { type FiguresFiles, fileOf, select, unique, valuesOf } from '../figures/read.ts';
import { drawBars } from './bars.ts';
import { type Picture, printed, provenance, type SectionMaker, table } from './section.ts';

/** The name under which Pressroom is measured with its cache, as it is installed. */
const OWN = 'Pressroom';

/** The end of the name under which a server with a cache is measured without it. */
const NO_CACHE = ', no cache';

/** The runs of content: that of the default number of articles, and those of others that were kept. */
function contentRuns(files: FiguresFiles): FiguresFile[] {
  const others = [...files.values()].filter(({ bench }) => bench.startsWith('peers '));
  return [fileOf(files, 'peers'), ...others];
}

/** The operations that a site needs most, for the front page. */
export const contentPeersPicture: SectionMaker = (files) => {
  const file = fileOf(files, 'peers');
  const pictures = valuesOf(file.figures, 'rows').map((rows) => {
    const figures = select(file.figures, { at: { rows } }).filter(({ what }) => !what.includes('page'));
    const alt = `Answers a second of Pressroom, Directus and Strapi with ${printed(Number(rows))} articles`;
    return picture(figures, `peers-${rows}`, alt);
  });
  return { text: provenance(file), pictures };
};

/** What was measured of content, in tables, with the loads under which another server is faster. */
export const contentPeersTables: SectionMaker = (files) => {
  const tables = contentRuns(files).map((file) => {
    const own = valuesOf(file.figures, 'rows').map((rows) => {
      const figures = select(file.figures, { at: { rows } });
      return `**${printed(Number(rows))} articles.** ${tablesOf(figures)}`;
    });
    return `${provenance(file)}\n${own.join('\n')}`;
  });
  return { text: tables.join('\n') };
};

/**
 * Makes the pictures of what was measured of a service and others: one for all that the same servers were
 * asked for. `alt` says what they show.
 */
export function peersPictures(bench: string, alt: string): SectionMaker {
  return (files) => {
    const file = fileOf(files, bench);
    const subjectsOf = (what: string) => unique(select(file.figures, { what }).map(({ subject }) => subject));
    const whats = unique(file.figures.map(({ what }) => what));
    const groups = [...Map.groupBy(whats, (what) => subjectsOf(what).join('; ')).values()];
    const pictures = groups.map((group, index) => {
      const figures = file.figures.filter(({ what }) => group.includes(what));
      return picture(figures, `${bench}-${index + 1}`, `${alt}: ${group.join('; ')}`);
    });
    return { text: provenance(file), pictures };
  };
}

/** Makes the same in tables, with the loads under which another server is faster. */
export function peersTables(bench: string): SectionMaker {
  return (files) => {
    const file = fileOf(files, bench);
    return { text: `${provenance(file)}\n${tablesOf(file.figures)}` };
  };
}

function tablesOf(figures: readonly Figure[]): string {
  const whats = unique(figures.map(({ what }) => what));
  const tables = whats.map((what) => peerTable(what, select(figures, { what })));
  return `${fasterPeers(figures)}\n\n${tables.join('\n')}`;
}

/** Bars of each operation with the most connections that it was measured with. */
function picture(figures: readonly Figure[], name: string, alt: string): Picture {
  const bars = unique(figures.map(({ what }) => what)).flatMap((what) => {
    const own = select(figures, { what });
    const connections = Math.max(...valuesOf(own, 'connections').map(Number));
    return select(own, { metric: 'rate', at: { connections } }).map(({ subject, median, at }) => {
      const [p99] = select(own, { subject, metric: 'p99', at });
      const beside = `p99 ${printed(p99?.median ?? Number.NaN)} ms`;
      return { group: `${what}, ${connections} connections`, subject, value: median, beside };
    });
  });
  return { name, alt, draw: (theme) => drawBars({ axis: 'answers a second →', unit: '/s', bars }, theme) };
}

function peerTable(what: string, figures: readonly Figure[]): string {
  const connections = valuesOf(figures, 'connections');
  const rows = unique(figures.map(({ subject }) => subject)).map((subject) => {
    const of = (metric: string, value: number | string) => {
      const [figure] = select(figures, { subject, metric, at: { connections: value } });
      return printed(figure?.median ?? Number.NaN);
    };
    const most = connections.at(-1) ?? 0;
    return [
      subject,
      ...connections.map((value) => `${of('rate', value)} (${of('p50', value)}, ${of('p99', value)})`),
      of('cpu', most),
      of('memory', most),
    ];
  });
  const loads = connections.map((value) => (value === 1 ? '1 connection' : `${value}`));
  return table([what, ...loads, 'CPU ms', 'MiB'], rows);
}

/**
 * Says under which loads another server answers more requests a second than Pressroom, and under which one
 * without a cache does than Pressroom without its own.
 */
export function fasterPeers(figures: readonly Figure[]): string {
  const rates = select(figures, { metric: 'rate' });
  const subjects = new Set(rates.map(({ subject }) => subject));
  const others = rates.filter(({ subject }) => !subject.startsWith(OWN));
  const uncached = others.filter(({ subject }) => !subjects.has(`${subject}${NO_CACHE}`));
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
  const loads = unique(faster.map(({ load }) => load)).length;
  const named = [...Map.groupBy(faster, ({ name }) => name)].map(
    ([name, same]) => `${name}, ${same.map(({ by }) => by).join(', ')}`,
  );
  return `Faster than ${than} under ${loads} of the ${own.length} loads: ${named.join('; ')}.`;
}
