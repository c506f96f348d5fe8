import type { Figure, FiguresFile } from '../figures/figure.ts';
import { fileOf, select, unique, valuesOf } from '../figures/read.ts';
import { drawBars } from './bars.ts';
import { type Picture, printed, provenance, type SectionMaker, table } from './section.ts';

/** The name under which Pressroom is measured with its cache, as it is installed. */
const OWN = 'Pressroom';

/** The connections of the pictures: the most that are measured. */
const CONNECTIONS = 32;

/** The pictures of the operations that a site needs most, for the front page. */
export const peersSection: SectionMaker = (files) => {
  const file = fileOf(files, 'peers');
  const pictures = valuesOf(file.figures, 'rows').map((rows) => picture(file, Number(rows), 'peers'));
  return { text: `${provenance(file)}`, pictures };
};

/** Everything that was measured, in tables, with the loads under which another server is faster. */
export const peerTables: SectionMaker = (files) => {
  const file = fileOf(files, 'peers');
  const tables = valuesOf(file.figures, 'rows').map((rows) => {
    const figures = select(file.figures, { at: { rows } });
    const whats = unique(figures.map(({ what }) => what));
    const title = `**${printed(Number(rows))} articles.** ${fasterPeers(figures)}\n`;
    return [title, ...whats.map((what) => peerTable(what, select(figures, { what })))].join('\n');
  });
  return { text: `${provenance(file)}\n${tables.join('\n')}` };
};

function picture({ figures }: FiguresFile, rows: number, name: string): Picture {
  const rates = select(figures, { metric: 'rate', at: { rows, connections: CONNECTIONS } });
  const bars = rates
    .filter(({ what }) => !what.includes('page'))
    .map(({ what, subject, median, at }) => {
      const [p99] = select(figures, { what, subject, metric: 'p99', at });
      return { group: what, subject, value: median, beside: `p99 ${printed(p99?.median ?? Number.NaN)} ms` };
    });
  return {
    name: `${name}-${rows}`,
    alt: `Answers a second of Pressroom, Directus and Strapi with ${printed(rows)} articles and 32 connections`,
    draw: (theme) => drawBars({ axis: 'answers a second →', unit: '/s', bars }, theme),
  };
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

/** Says under which loads another server answers more requests a second than Pressroom. */
export function fasterPeers(figures: readonly Figure[]): string {
  const rates = select(figures, { metric: 'rate' });
  const own = select(rates, { subject: OWN });
  const faster = own.flatMap(({ what, at, median }) => {
    const { connections } = at;
    const others = rates.filter((figure) => !figure.subject.startsWith(OWN));
    return select(others, { what, at: connections === undefined ? {} : { connections } })
      .filter((figure) => figure.median > median)
      .map(
        ({ subject, median: theirs }) =>
          `${subject}, ${what}, ${connections} (${(theirs / median).toFixed(2)} times)`,
      );
  });
  if (faster.length === 0)
    return `Under none of the ${own.length} loads is another server faster than Pressroom.`;
  return `Faster than Pressroom under ${faster.length} of the ${own.length} loads: ${faster.join('; ')}.`;
}
