import type { Figure } from '../figures/figure.ts';
import { fileOf, select, unique, valuesOf } from '../figures/read.ts';
import { drawBars } from './bars.ts';
import { type Picture, printed, provenance, type SectionMaker, table } from './section.ts';

/** The name under which Pressroom is measured with its cache, as it is installed. */
const OWN = 'Pressroom';

/** The operations that a site needs most, for the front page. */
export const peersSection: SectionMaker = (files) => {
  const file = fileOf(files, 'peers');
  const pictures = valuesOf(file.figures, 'rows').map((rows) => {
    const figures = select(file.figures, { at: { rows } }).filter(({ what }) => !what.includes('page'));
    const alt = `Answers a second of Pressroom, Directus and Strapi with ${printed(Number(rows))} articles`;
    return picture(figures, `peers-${rows}`, alt);
  });
  return { text: provenance(file), pictures };
};

/** What was measured of content, in tables, with the loads under which another server is faster. */
export const peerTables: SectionMaker = (files) => {
  const file = fileOf(files, 'peers');
  const tables = valuesOf(file.figures, 'rows').map((rows) => {
    const figures = select(file.figures, { at: { rows } });
    return `**${printed(Number(rows))} articles.** ${tablesOf(figures)}`;
  });
  return { text: `${provenance(file)}\n${tables.join('\n')}` };
};

/** The picture of what was measured of other services. */
export const galleryPeersSection: SectionMaker = (files) => {
  const file = fileOf(files, 'gallery-peers');
  const alt = 'Signatures, uploads and thumbnails a second of Pressroom and others';
  return { text: provenance(file), pictures: [picture(file.figures, 'gallery-peers', alt)] };
};

/** The same in tables, with the loads under which another server is faster. */
export const galleryPeerTables: SectionMaker = (files) => {
  const file = fileOf(files, 'gallery-peers');
  return { text: `${provenance(file)}\n${tablesOf(file.figures)}` };
};

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
