import { fileOf } from '../figures/read.ts';
import { comparisonTable } from './comparisons.ts';
import { provenance, type SectionMaker } from './section.ts';

/** What each section of a page is made of, by the name in its marks. */
export const SECTIONS: Readonly<Record<string, SectionMaker>> = {
  content: (files) => {
    const file = fileOf(files, 'content');
    return { text: `${comparisonTable(file, 'content')}\n${provenance(file)}` };
  },
};
