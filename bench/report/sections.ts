import type { FiguresFile } from '../figures/figure.ts';
import { type FiguresFiles, fileOf, select } from '../figures/read.ts';
import { comparisonTable } from './comparisons.ts';
import { growthTable } from './growth.ts';
import { growthPictures } from './growth-pictures.ts';
import { measuredTables, shortfalls } from './measured.ts';
import { contentPeersPicture, contentPeersTables, peersPictures, peersTables } from './peers.ts';
import { ratePictures } from './rate-pictures.ts';
import { scalingDemand, scalingInputs } from './scaling.ts';
import { printed, provenance, type Section, type SectionMaker, table } from './section.ts';
import { storiesTable } from './stories.ts';
import { tricksTable } from './tricks.ts';

/** A section of what one bench has measured: its parts, then how it was measured. */
function sectionOf(
  bench: string,
  parts: (file: FiguresFile, files: FiguresFiles) => readonly string[],
): SectionMaker {
  return (files) => {
    const file = fileOf(files, bench);
    return { text: [...parts(file, files), provenance(file)].join('\n') };
  };
}

/** Tables of all numbers of a bench. */
function tablesOf(bench: string, subjects = false): SectionMaker {
  return sectionOf(bench, ({ figures }) => [measuredTables(figures, { subjects })]);
}

/** The pictures of how the services grow, as these benches have measured it. */
function growthSection(files: FiguresFiles, benches: readonly string[]): Required<Section> {
  const all = benches.map((bench) => fileOf(files, bench));
  return { text: all.map(provenance).join('\n'), pictures: growthPictures(all) };
}

/** The growth to ten million rows, which `bench growth` measures only on request. */
function tenMillion(kind: string): SectionMaker {
  return sectionOf(`growth ${kind} 10000000`, (file) => [
    growthTable(file),
    shortfalls(select(file.figures, { metric: 'multiple' })),
  ]);
}

/** What imports need, the most memory first, with the files of other sizes that were kept. */
function movingSection(files: FiguresFiles): Section {
  const all = [fileOf(files, 'moving'), ...files.values().filter(({ bench }) => bench.startsWith('moving '))];
  const figures = all.flatMap((file) => file.figures);
  const worstFirst = select(figures, { metric: 'memory' }).toSorted((a, b) => b.median - a.median);
  const rows = worstFirst.flatMap(({ subject, at }) =>
    select(figures, { subject, at }).map((figure) => ({
      ...figure,
      what: `${subject}, ${printed(Number(at.MB))} MB`,
    })),
  );
  return { text: [measuredTables(rows), shortfalls(figures), ...all.map(provenance)].join('\n') };
}

/** What each section of a page is made of, by the name in its marks. */
export const SECTIONS: Readonly<Record<string, SectionMaker>> = {
  content: sectionOf('content', (file) => [comparisonTable(file, 'content'), shortfalls(file.figures)]),
  'content, Fastify alone': sectionOf('content', (file) => [comparisonTable(file, 'Fastify')]),
  'content, pages and memory': sectionOf('content', ({ figures }) => {
    const rest = figures.filter(({ what }) => /^(page|load) /.test(what));
    const named = rest.map((figure) => ({
      ...figure,
      what: `${figure.what}, ${figure.at.rows?.toLocaleString('en')} articles`,
    }));
    return [measuredTables(named)];
  }),
  reading: sectionOf('reading', (file) => [comparisonTable(file, 'news-feed'), shortfalls(file.figures)]),
  gallery: sectionOf('gallery', (file) => {
    const compared = new Set(select(file.figures, { metric: 'ratio' }).map(({ what }) => what));
    const alone = file.figures.filter(({ what }) => !compared.has(what));
    return [measuredTables(alone), comparisonTable(file, 'gallery-admin'), shortfalls(file.figures)];
  }),
  selected: tablesOf('selected'),
  'login-flood': tablesOf('login-flood'),
  'media-flood': sectionOf('media-flood', ({ figures }) => [measuredTables(figures), shortfalls(figures)]),
  idle: tablesOf('idle', true),
  start: tablesOf('start', true),
  stories: sectionOf('stories', (file) => [storiesTable(file)]),
  newsroom: sectionOf('newsroom', ({ figures }) => [measuredTables(figures), shortfalls(figures)]),
  'scaling, inputs': sectionOf('scaling', (file) => [scalingInputs(file)]),
  'scaling, demand': (files) => ({ text: scalingDemand(fileOf(files, 'scaling')) }),
  fast: sectionOf('fast', (file, files) => [tricksTable(file, fileOf(files, 'content'))]),
  growth: sectionOf('growth', (file) => {
    const multiples = select(file.figures, { metric: 'multiple' });
    const largest = Math.max(...multiples.map(({ at }) => Number(at.rows)));
    return [growthTable(file), shortfalls(select(multiples, { at: { rows: largest } }))];
  }),
  'growth, 10,000,000 articles': tenMillion('articles'),
  'growth, 10,000,000 items': tenMillion('items'),
  'growth, pictures': (files) =>
    growthSection(files, ['growth', 'growth articles 10000000', 'growth items 10000000']),
  'growth, content': (files) => {
    const { text, pictures } = growthSection(files, ['growth', 'growth articles 10000000']);
    return { text, pictures: pictures.filter(({ name }) => name === 'growth-content') };
  },
  worst: sectionOf('worst', ({ figures }) => {
    // The times at each of the rising rates are for a picture.
    const held = new Set(select(figures, { metric: 'held rate' }).map(({ what }) => what));
    const shown = figures.filter(({ what, metric }) => metric === 'held rate' || !held.has(what));
    return [measuredTables(shown, { subjects: true }), shortfalls(figures)];
  }),
  'worst, pictures': (files) => {
    const file = fileOf(files, 'worst');
    return { text: provenance(file), pictures: ratePictures(file) };
  },
  moving: movingSection,
  page: sectionOf('page', ({ figures }) => {
    const rows = figures.map(({ what, subject, metric, median, unit, aim }) => [
      what,
      subject,
      metric,
      `${printed(median)} ${unit}`.trim(),
      aim === undefined ? '' : printed(aim),
    ]);
    return [table(['', '', '', 'measured', 'aim'], rows)];
  }),
  peers: contentPeersPicture,
  'peers, all loads': contentPeersTables,
  'gallery-peers': peersPictures('gallery-peers', 'Answers a second of Pressroom and others'),
  'gallery-peers, all loads': peersTables('gallery-peers'),
  'news-peers': peersPictures('news-peers', 'Answers a second of Pressroom and others'),
  'news-peers, all loads': peersTables('news-peers'),
};
