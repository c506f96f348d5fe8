import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SECTIONS } from '../../bench/benches/all.ts';
import { type FiguresFile, figureOf } from '../../bench/figures/figure.ts';
import { figuresText } from '../../bench/figures/keep.ts';
import { drawBars } from '../../bench/report/bars.ts';
import { comparisonTable } from '../../bench/report/comparisons.ts';
import { drawLines } from '../../bench/report/lines.ts';
import { measuredTables, shortfalls } from '../../bench/report/measured.ts';
import { reportFaults, withSections, writeReport } from '../../bench/report/pages.ts';
import { fasterPeers, peersPictures, peerTables } from '../../bench/report/peers.ts';
import { temporaryHome } from '../support/temporary-home.ts';

const MARKED = '# Page\n\n<!-- figures: NAME -->\n<!-- end -->\n\nAfter it.\n';

const CONTENT: FiguresFile = {
  bench: 'content',
  command: 'pnpm bench content',
  measured: {
    at: '2026-11-22T03:00:00.000Z',
    commit: '0147f6a',
    node: 'v26.10.0',
    cpu: 'A processor',
    cores: 2,
    memoryGiB: 24,
    kernel: '6.18.0-1',
  },
  figures: [
    ...['content', 'node:http'].map((subject, index) =>
      figureOf(
        { what: 'hot list', subject, metric: 'rate', unit: '/s', at: { rows: 10_000 } },
        [40_000, 50_000, 60_000].map((rate) => rate * (index + 1)),
      ),
    ),
    ...['content', 'node:http'].flatMap((subject) => [
      figureOf({ what: 'hot list', subject, metric: 'cpu, user', unit: 'µs', at: { rows: 10_000 } }, [12]),
      figureOf({ what: 'hot list', subject, metric: 'cpu, system', unit: 'µs', at: { rows: 10_000 } }, [8]),
    ]),
    figureOf(
      { what: 'hot list', subject: 'content', metric: 'ratio', unit: '', at: { rows: 10_000 }, aim: 0.75 },
      [0.5],
    ),
  ],
};

async function treeWith(readme: string): Promise<string> {
  const root = await temporaryHome();
  await mkdir(join(root, 'docs/figures'), { recursive: true });
  await writeFile(join(root, 'docs/figures/content.json'), figuresText(CONTENT));
  await writeFile(join(root, 'README.md'), readme);
  return root;
}

test('a page shows what was measured, on what, and finds it out of date after a change by hand', async () => {
  const root = await treeWith(MARKED.replace('NAME', 'content'));
  expect(await reportFaults(root)).toEqual(['README.md: differs from docs/figures; run `pnpm bench report`']);
  await writeReport(root);
  const page = await readFile(join(root, 'README.md'), 'utf8');
  expect(page).toContain(
    '| hot list (node:http) | 50,000 | 100,000 | 0.50 (0.50–0.50) | 0.75 | 1.00 | 12 + 8 | 12 + 8 |',
  );
  expect(page).toContain('Misses 1 of 1 aims: hot list (content, 10,000 rows: ratio 0.5, aim 0.75).');
  expect(page).toContain('2026-11-22, commit `0147f6a`, Node 26.10.0, 2 cores (A processor), 24 GiB');
  expect(page.endsWith('<!-- end -->\n\nAfter it.\n')).toBe(true);
  expect(await reportFaults(root)).toEqual([]);

  await writeFile(join(root, 'README.md'), page.replace('50,000', '51,000'));
  expect(await reportFaults(root)).toHaveLength(1);
});

test('a picture that no page shows is found', async () => {
  const root = await treeWith('# No figures\n');
  await mkdir(join(root, 'docs/pictures/figures'), { recursive: true });
  await writeFile(join(root, 'docs/pictures/figures/old-light.svg'), '<svg/>');
  expect(await reportFaults(root)).toEqual([
    'docs/pictures/figures/old-light.svg: no page shows it; run `pnpm bench report`',
  ]);
});

test('a page that asks for unknown figures is refused', async () => {
  const root = await treeWith(MARKED.replace('NAME', 'moon'));
  await expect(writeReport(root)).rejects.toThrow('README.md asks for the figures moon');
});

test('every section says by which command it is measured, as long as it is not', () => {
  for (const name of Object.keys(SECTIONS)) {
    const { page } = withSections('README.md', MARKED.replace('NAME', name), new Map(), SECTIONS);
    expect(page).toMatch(/<sub>Not measured yet: `npx -y pnpm@12 bench [a-z -]+(\d+ --keep)?`\.<\/sub>/);
    expect(withSections('README.md', page, new Map(), SECTIONS).page).toBe(page);
  }
});

test('what falls short of its aim is named, and what exceeds one that should not be exceeded', () => {
  const figure = (what: string, metric: string, value: number, aim: number) =>
    figureOf({ what, subject: 'content', metric, unit: '', at: {}, aim }, [value]);
  const met = [figure('hot list', 'ratio', 0.8, 0.75), figure('first page', 'multiple', 1.1, 1.2)];
  expect(shortfalls(met)).toBe('All 2 aims are met.\n');
  const missed = [figure('hot detail', 'ratio', 0.7, 0.75), figure('middle page', 'multiple', 4, 3)];
  expect(shortfalls([...met, ...missed])).toBe(
    'Misses 2 of 4 aims: hot detail (content: ratio 0.7, aim 0.75); middle page (content: multiple 4, aim 3).\n',
  );
});

test('the CPU time of the database stands beside that of the servers, where it was measured', () => {
  const figure = (subject: string, metric: string, value: number) =>
    figureOf({ what: 'list', subject, metric, unit: '', at: { rows: 1, connections: 8 } }, [value]);
  const of = (subject: string, database: number) => [
    ...['rate', 'cpu', 'cpu, user', 'cpu, system', 'ratio', 'memory'].map((metric) =>
      figure(subject, metric, 2),
    ),
    figure(subject, 'cpu, database', database),
  ];
  const figures = [...of('Pressroom', 1500), ...of('pg', 2500)];
  const compared = comparisonTable(figures, 'Pressroom');
  expect(compared).toContain(' | CPU µs | bare | PostgreSQL µs | bare |');
  expect(compared).toContain(' | 2 + 2 | 2 + 2 | 1,500 | 2,500 |\n');
  const peers = peerTables(figures);
  expect(peers).toContain(' | CPU ms | database CPU ms | MiB |');
  expect(peers).toContain(' | 2 | 2.5 | 2 |\n');
});

test('rows with the same numbers share a table, with each aim next to its number', () => {
  const figure = (what: string, metric: string, unit: string, value: number, aim?: number) =>
    figureOf({ what, subject: 'content', metric, unit, at: {}, ...(aim && { aim }) }, [value]);
  const figures = [
    figure('alone', 'p50', 'ms', 1),
    figure('alone', 'p99', 'ms', 2, 3),
    figure('flooded', 'p50', 'ms', 2),
    figure('flooded', 'p99', 'ms', 4, 3),
    figure('polls', 'rate', '/s', 5000),
  ];
  expect(measuredTables(figures)).toBe(
    '|  | p50 | p99 |\n| --- | --- | --- |\n| alone | 1 ms | 2 ms (aim 3) |\n| flooded | 2 ms | 4 ms (aim 3, missed) |\n' +
      '\n|  | rate |\n| --- | --- |\n| polls | 5,000/s |\n',
  );
});

test('a round in which nothing was answered does not count', () => {
  const label = { what: 'polls', subject: 'content', metric: 'ratio', unit: '', at: {} };
  expect(figureOf(label, [0.5, Number.NaN, Number.POSITIVE_INFINITY])).toMatchObject({
    median: 0.5,
    rounds: 1,
  });
  expect(() => figureOf(label, [Number.NaN])).toThrow('polls, content: no round has measured its ratio');
});

test('pictures are linked from where the page is, for both themes', () => {
  const picture = { name: 'peers', alt: 'Requests a second', draw: () => '<svg/>' };
  const sections = { NAME: () => ({ text: 'Measured.\n', pictures: [picture] }) };
  const { page, pictures } = withSections('bench/results/benchmarks.md', MARKED, new Map(), sections);
  expect(page).toContain('srcset="../../docs/pictures/figures/peers-dark.svg"');
  expect(page).toContain('<img alt="Requests a second" src="../../docs/pictures/figures/peers-light.svg">');
  expect(pictures).toEqual([picture]);
  expect(withSections('README.md', MARKED, new Map(), sections).page).toContain(
    'src="docs/pictures/figures/peers-light.svg"',
  );
});

test('bars stand for their values, which are printed with what is beside them', () => {
  const bars = [
    { group: 'list', subject: 'content', value: 2000, beside: 'p99 20 ms' },
    { group: 'list', subject: 'Directus', value: 500, beside: 'p99 80 ms' },
  ];
  const svg = drawBars(bars, 'light');
  expect(svg).toMatch(/^<svg .*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(svg).toContain('2,000/s · p99 20 ms');
  const widths = [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
  expect((widths[0] ?? 0) / (widths[1] ?? 0)).toBeCloseTo(4, 1);
  expect(drawBars(bars, 'dark')).not.toBe(svg);
});

test('the loads under which another server is faster are named', () => {
  const rate = (subject: string, connections: number, value: number) =>
    figureOf({ what: 'list', subject, metric: 'rate', unit: '/s', at: { connections } }, [value]);
  const figures = [rate('Pressroom', 1, 100), rate('Strapi 5', 1, 50), rate('Pressroom', 8, 100)];
  expect(fasterPeers(figures)).toBe('No other server is faster than Pressroom under any of the 2 loads.');
  expect(fasterPeers([...figures, rate('Strapi 5', 8, 150)])).toBe(
    'Faster than Pressroom under 1 of the 2 loads: Strapi 5, list, 8 (1.50 times).',
  );
  const uncached = [
    rate('Pressroom, no cache', 1, 40),
    rate('Pressroom, no cache', 8, 100),
    rate('Strapi 5', 8, 150),
    rate('Directus 12', 1, 60),
    rate('Directus 12, no cache', 1, 30),
  ];
  expect(fasterPeers([...figures, ...uncached])).toBe(
    'Faster than Pressroom under 1 of the 2 loads: Strapi 5, list, 8 (1.50 times). ' +
      'Faster than Pressroom without its cache under 2 of the 2 loads: Strapi 5, list, 1 (1.25 times), 8 (1.50 times).',
  );
});

test('what other servers were asked for has its own picture, without empty bars', () => {
  const rate = (what: string, subject: string) =>
    figureOf({ what, subject, metric: 'rate', unit: '/s', at: { connections: 8 } }, [100]);
  const figures = [
    rate('list', 'Pressroom'),
    rate('list', 'Fastify'),
    rate('search', 'Pressroom'),
    rate('search', 'Fastify'),
    rate('poll', 'Pressroom'),
    rate('poll', 'PouchDB'),
  ];
  const section = peersPictures('news-peers', 'Rates');
  const { pictures } = section(new Map([['news-peers', { ...CONTENT, bench: 'news-peers', figures }]]));
  expect(pictures.map(({ name, alt }) => [name, alt])).toEqual([
    ['news-peers-1', 'Rates: list; search'],
    ['news-peers-2', 'Rates: poll'],
  ]);
  expect(pictures[0]?.draw('light')).not.toContain('PouchDB');
  expect(pictures[1]?.draw('light')).not.toContain('Fastify');
});

test('lines end with their names, and the slower one higher', () => {
  const points = [10_000, 1_000_000].flatMap((x, index) => [
    { series: 'first page', x, y: 1 },
    { series: 'last page', x, y: 1 },
    { series: 'page in the middle', x, y: 1 + index },
  ]);
  const svg = drawLines({ x: 'articles', y: 'times', points, aim: 3 }, 'light');
  const heightOf = (name: string) =>
    Number(new RegExp(`translate\\([\\d.]+,([\\d.]+)\\)"[^>]*>${name}<`).exec(svg)?.[1]);
  expect(heightOf('page in the middle')).toBeLessThan(heightOf('first page'));
  // Their lines are one; their names are not.
  expect(Math.abs(heightOf('last page') - heightOf('first page'))).toBeGreaterThan(12);
});
