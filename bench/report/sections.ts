import { fileOf } from '../figures/read.ts';
import { comparisonTable } from './comparisons.ts';
import { growthTable } from './growth.ts';
import { growthPictures } from './growth-pictures.ts';
import { pageTable } from './page.ts';
import { peersSection, peerTables } from './peers.ts';
import { ratePictures } from './rate-pictures.ts';
import { provenance, type SectionMaker } from './section.ts';
import { worstTable } from './worst.ts';

/** What each section of a page is made of, by the name in its marks. */
export const SECTIONS: Readonly<Record<string, SectionMaker>> = {
  content: (files) => {
    const file = fileOf(files, 'content');
    return { text: `${comparisonTable(file, 'content')}\n${provenance(file)}` };
  },
  growth: (files) => {
    const file = fileOf(files, 'growth');
    const text = `${growthTable(file)}\n${provenance(file)}`;
    return { text, pictures: growthPictures(file) };
  },
  worst: (files) => {
    const file = fileOf(files, 'worst');
    const text = `${worstTable(file)}\n${provenance(file)}`;
    return { text, pictures: ratePictures(file) };
  },
  page: (files) => {
    const file = fileOf(files, 'page');
    return { text: `${pageTable(file)}\n${provenance(file)}` };
  },
  peers: peersSection,
  'peers, all loads': peerTables,
};
