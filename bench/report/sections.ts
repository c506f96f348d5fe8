import { type FiguresFiles, fileOf, select } from '../figures/read.ts';
import { comparisonTable } from './comparisons.ts';
import { growthTable } from './growth.ts';
import { growthPictures } from './growth-pictures.ts';
import { measuredTables, shortfalls } from './measured.ts';
import { pageTable } from './page.ts';
import { contentPeersPicture, contentPeersTables, peersPictures, peersTables } from './peers.ts';
import { ratePictures } from './rate-pictures.ts';
import { scalingDemand, scalingInputs } from './scaling.ts';
import { provenance, type Section, type SectionMaker } from './section.ts';
import { tricksTable } from './tricks.ts';
import { worstTable } from './worst.ts';

/** The numbers that stand next to each other's rows, without comparisons. */
function tablesOf(bench: string, subjects = false): SectionMaker {
  return (files) => {
    const file = fileOf(files, bench);
    return { text: `${measuredTables(file.figures, { subjects })}\n${provenance(file)}` };
  };
}

/** The pictures of how the services grow, as these benches have measured it. */
function growthSection(files: FiguresFiles, benches: readonly string[]): Required<Section> {
  const all = benches.map((bench) => fileOf(files, bench));
  return { text: all.map(provenance).join('\n'), pictures: growthPictures(all) };
}

/** The growth to ten million rows, which `bench growth` measures only on request. */
function tenMillion(kind: string): SectionMaker {
  return (files) => {
    const file = fileOf(files, `growth ${kind} 10000000`);
    const short = shortfalls(select(file.figures, { metric: 'multiple' }));
    return { text: `${growthTable(file)}\n${short}\n${provenance(file)}` };
  };
}

/** What each section of a page is made of, by the name in its marks. */
export const SECTIONS: Readonly<Record<string, SectionMaker>> = {
  content: (files) => {
    const file = fileOf(files, 'content');
    return {
      text: `${comparisonTable(file, 'content')}\n${shortfalls(file.figures)}\n${provenance(file)}`,
    };
  },
  'content, Fastify alone': (files) => {
    const file = fileOf(files, 'content');
    return { text: `${comparisonTable(file, 'Fastify')}\n${provenance(file)}` };
  },
  'content, pages and memory': (files) => {
    const file = fileOf(files, 'content');
    const rest = file.figures
      .filter(({ what }) => what.startsWith('page ') || what.startsWith('load '))
      .map((figure) => ({
        ...figure,
        what: `${figure.what}, ${figure.at.rows?.toLocaleString('en')} articles`,
      }));
    return { text: `${measuredTables(rest)}\n${provenance(file)}` };
  },
  reading: (files) => {
    const file = fileOf(files, 'reading');
    return {
      text: `${comparisonTable(file, 'news-feed')}\n${shortfalls(file.figures)}\n${provenance(file)}`,
    };
  },
  gallery: (files) => {
    const file = fileOf(files, 'gallery');
    const proxy = select(file.figures, { metric: 'ratio' });
    const compared = new Set(proxy.map(({ what }) => what));
    const alone = file.figures.filter(({ what }) => !compared.has(what));
    const text = [
      measuredTables(alone),
      comparisonTable(file, 'gallery-admin'),
      shortfalls(file.figures),
      provenance(file),
    ].join('\n');
    return { text };
  },
  selected: tablesOf('selected'),
  'login-flood': tablesOf('login-flood'),
  idle: tablesOf('idle', true),
  start: tablesOf('start', true),
  stories: tablesOf('stories'),
  newsroom: (files) => {
    const file = fileOf(files, 'newsroom');
    return { text: `${measuredTables(file.figures)}\n${shortfalls(file.figures)}\n${provenance(file)}` };
  },
  'scaling, inputs': (files) => {
    const file = fileOf(files, 'scaling');
    return { text: `${scalingInputs(file)}\n${provenance(file)}` };
  },
  'scaling, demand': (files) => ({ text: scalingDemand(fileOf(files, 'scaling')) }),
  fast: (files) => {
    const file = fileOf(files, 'fast');
    return { text: `${tricksTable(file, fileOf(files, 'content'))}\n${provenance(file)}` };
  },
  growth: (files) => {
    const file = fileOf(files, 'growth');
    const multiples = select(file.figures, { metric: 'multiple' });
    const largest = Math.max(...multiples.map(({ at }) => Number(at.rows)));
    const short = shortfalls(select(multiples, { at: { rows: largest } }));
    return { text: `${growthTable(file)}\n${short}\n${provenance(file)}` };
  },
  'growth, 10,000,000 articles': tenMillion('articles'),
  'growth, 10,000,000 items': tenMillion('items'),
  'growth, pictures': (files) =>
    growthSection(files, ['growth', 'growth articles 10000000', 'growth items 10000000']),
  'growth, content': (files) => {
    const { text, pictures } = growthSection(files, ['growth', 'growth articles 10000000']);
    return { text, pictures: pictures.filter(({ name }) => name === 'growth-content') };
  },
  worst: (files) => {
    const file = fileOf(files, 'worst');
    return { text: `${worstTable(file)}\n${shortfalls(file.figures)}\n${provenance(file)}` };
  },
  'worst, pictures': (files) => {
    const file = fileOf(files, 'worst');
    return { text: provenance(file), pictures: ratePictures(file) };
  },
  page: (files) => {
    const file = fileOf(files, 'page');
    return { text: `${pageTable(file)}\n${provenance(file)}` };
  },
  peers: contentPeersPicture,
  'peers, all loads': contentPeersTables,
  'gallery-peers': peersPictures('gallery-peers', 'Answers a second of Pressroom and others'),
  'gallery-peers, all loads': peersTables('gallery-peers'),
  'news-peers': peersPictures('news-peers', 'Answers a second of Pressroom and others'),
  'news-peers, all loads': peersTables('news-peers'),
};
