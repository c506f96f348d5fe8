import { LOOPBACK } from '@pressroom/embedded-postgres/ports';
import type { Service } from './services.ts';

/** What the summary tells besides the services. */
export interface SummaryParts {
  readonly servicePorts: ReadonlyMap<Service, number>;
  /** Lines for the readers of services with a gallery. */
  readonly galleryHints: readonly (readonly [label: string, text: string])[];
  /** Where the data is stored, for display. */
  readonly data: string;
}

/** Where each service answers, a line each. */
export function addresses(servicePorts: ReadonlyMap<Service, number>): string[] {
  const width = Math.max(...[...servicePorts.keys()].map(({ name }) => name.length));
  return [...servicePorts].map(([{ name }, port]) => `  ${name.padEnd(width)}  http://${LOOPBACK}:${port}`);
}

/** The block that `pnpm start` prints once everything answers. */
export function summary({ servicePorts, galleryHints, data }: SummaryParts): string {
  const rows: (readonly [string, string])[] = [];
  for (const [{ name, hints, gallery, page }, port] of servicePorts) {
    const address = `http://${LOOPBACK}:${port}`;
    if (page) rows.push(['The desk', `${address}/`]);
    rows.push(
      [`${name} API`, address],
      ['documentation', `${address}/docs`],
      ['OpenAPI', `${address}/openapi.json`],
    );
    rows.push(...hints, ...(gallery ? galleryHints : []));
  }
  rows.push(['Data', data], ['Stop', 'Ctrl-C']);
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`);
  return ['', 'Pressroom is running', '', ...lines, ''].join('\n');
}
