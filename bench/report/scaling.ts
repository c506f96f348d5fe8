import type { FiguresFile } from '../figures/figure.ts';
import { select, unique } from '../figures/read.ts';
import { measuredTables } from './measured.ts';
import { printed, table } from './section.ts';

/** What `bench scaling` measured, from which the demand is calculated. */
export function scalingInputs({ figures }: FiguresFile): string {
  return measuredTables(figures.filter(({ at }) => at.clients === undefined));
}

/** What polling clients demand, calculated: a column for each number of them. */
export function scalingDemand({ figures }: FiguresFile): string {
  const demands = figures.filter(({ at }) => at.clients !== undefined);
  const clients = unique(demands.map(({ at }) => Number(at.clients)));
  const rows = unique(demands.map(({ what }) => what)).map((what) => [
    what,
    ...clients.map((count) => {
      const [figure] = select(demands, { what, at: { clients: count } });
      return figure?.unit === 'bytes/s' ? bytes(figure.median) : `${printed(figure?.median ?? Number.NaN)}/s`;
    }),
  ]);
  return table(['polling clients', ...clients.map(printed)], rows);
}

/** Bytes a second with the unit that suits their number. */
function bytes(value: number): string {
  const units = ['bytes/s', 'kB/s', 'MB/s', 'GB/s'];
  const place = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${printed(value / 1000 ** place)} ${units[place]}`;
}
