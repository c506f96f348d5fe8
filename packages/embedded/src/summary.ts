import { LOOPBACK } from './ports.ts';
import type { Service } from './services.ts';

/** The block that `pnpm start` prints once everything answers; `data`: where the data lies, in words. */
export function summary(servicePorts: ReadonlyMap<Service, number>, data: string): string {
  const rows: (readonly [string, string])[] = [];
  for (const [{ name, hints }, port] of servicePorts) {
    const address = `http://${LOOPBACK}:${port}`;
    rows.push(
      [`${name} API`, address],
      ['documentation', `${address}/docs`],
      ['OpenAPI', `${address}/openapi.json`],
    );
    rows.push(...hints);
  }
  rows.push(['Data', data], ['Stop', 'Ctrl-C']);
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`);
  return ['', 'Pressroom is running', '', ...lines, ''].join('\n');
}
