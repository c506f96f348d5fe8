/**
 * Pages with figures: a section stands between `<!-- figures: NAME -->` and `<!-- end -->`, and everything
 * between them is written by `pnpm bench report`.
 */
import { glob, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { SECTIONS } from '../benches/all.ts';
import { argumentsOf } from '../figures/keep.ts';
import { type FiguresFiles, NotMeasured, readFigures } from '../figures/read.ts';
import type { Picture, Section, SectionMaker, Theme } from './section.ts';

/** The folder of the pictures: all that is in it is written by the report. */
const PICTURES = 'docs/pictures/figures';

/** The pages that may show figures. */
const PAGES = ['README.md', 'docs/*.md', 'bench/results/*.md'];

const THEMES: readonly Theme[] = ['light', 'dark'];

const MARKED = /<!-- figures: (.+?) -->\n([\s\S]*?)<!-- end -->/g;

/** The report: the whole text of each file that it writes, by path from the repository's root. */
type Report = ReadonlyMap<string, string>;

/** Makes the report of a working tree. Throws if a section is unknown. */
async function makeReport(root: string): Promise<Report> {
  const files = await readFigures(root);
  const report = new Map<string, string>();
  for await (const page of glob(PAGES, { cwd: root })) {
    const text = await readFile(join(root, page), 'utf8');
    const { page: written, pictures } = withSections(page, text, files, SECTIONS);
    if (text.match(MARKED) !== null) report.set(page, written);
    for (const picture of pictures)
      for (const theme of THEMES) report.set(fileOfPicture(picture, theme), `${picture.draw(theme)}\n`);
  }
  return report;
}

/** Writes the report of a working tree, and removes pictures that are no longer shown. */
export async function writeReport(root: string): Promise<void> {
  const report = await makeReport(root);
  await mkdir(join(root, PICTURES), { recursive: true });
  for (const [file, text] of report) await writeFile(join(root, file), text);
  for (const file of await unshown(root, report)) await rm(join(root, file));
}

/** Finds pages and pictures that are not what the committed figures make. */
export async function reportFaults(root: string): Promise<string[]> {
  const report = await makeReport(root);
  const faults: string[] = [];
  for (const [file, text] of report) {
    const present = await readFile(join(root, file), 'utf8').catch(() => undefined);
    if (present !== text) faults.push(`${file}: differs from docs/figures; run \`pnpm bench report\``);
  }
  for (const file of await unshown(root, report)) {
    faults.push(`${file}: no page shows it; run \`pnpm bench report\``);
  }
  return faults;
}

/** A page with its sections made from the figures, and their pictures. */
export function withSections(
  page: string,
  text: string,
  files: FiguresFiles,
  sections: Readonly<Record<string, SectionMaker>>,
): { page: string; pictures: Picture[] } {
  const shown: Picture[] = [];
  const written = text.replaceAll(MARKED, (_, name: string) => {
    const make = sections[name];
    if (make === undefined) throw new Error(`${page} asks for the figures ${name}, which no section makes`);
    const { text: words, pictures } = madeOf(make, files);
    shown.push(...pictures);
    const parts = [words, ...pictures.map((picture) => markup(page, picture))];
    return `<!-- figures: ${name} -->\n\n${parts.join('\n')}\n<!-- end -->`;
  });
  return { page: written, pictures: shown };
}

/** Makes a section, or the line that stands for it as long as its bench has not been run. */
function madeOf(make: SectionMaker, files: FiguresFiles): Section {
  try {
    return make(files);
  } catch (error) {
    if (!(error instanceof NotMeasured)) throw error;
    const text = `<sub>Not measured yet: \`npx -y pnpm@12 bench ${argumentsOf(error.bench)}\`.</sub>\n`;
    return { text, pictures: [] };
  }
}

function markup(page: string, picture: Picture): string {
  const [light, dark] = THEMES.map((theme) => relative(dirname(page), fileOfPicture(picture, theme)));
  return [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="${dark}">`,
    `  <img alt="${picture.alt}" src="${light}">`,
    '</picture>\n',
  ].join('\n');
}

function fileOfPicture({ name }: Picture, theme: Theme): string {
  return `${PICTURES}/${name}-${theme}.svg`;
}

async function unshown(root: string, report: Report): Promise<string[]> {
  const names = await readdir(join(root, PICTURES)).catch(() => []);
  return names.map((name) => `${PICTURES}/${name}`).filter((file) => !report.has(file));
}
