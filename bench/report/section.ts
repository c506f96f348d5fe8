import type { Figure, FiguresFile } from '../figures/figure.ts';
import { type FiguresFiles, fileOf } from '../figures/read.ts';

/** The page that a picture is for: light or dark. */
export type Theme = 'light' | 'dark';

/** A plot, which the page shows in the theme of its reader. */
export interface Picture {
  /** The name of its files, without theme and ending. */
  name: string;
  /** Describes the picture for readers who do not see it. */
  alt: string;
  draw: (theme: Theme) => string;
}

/** Content between the marks of a section in a page: text, then pictures. */
export interface Section {
  text: string;
  pictures: readonly Picture[];
}

/** Makes a section from the figures. */
export type SectionMaker = (files: FiguresFiles) => Section;

/** A section of what benches have measured: its tables, how it was measured, and its pictures. */
export function sectionOf(
  benches: string | readonly string[],
  parts: (figures: readonly Figure[]) => readonly (string | Picture)[],
): SectionMaker {
  return (files) => {
    const own = [benches].flat().map((bench) => fileOf(files, bench));
    const made = parts(own.flatMap(({ figures }) => figures));
    const texts = made.filter((part) => typeof part === 'string');
    return {
      text: [...texts, ...own.map(provenance)].join('\n'),
      pictures: made.filter((part) => typeof part !== 'string'),
    };
  };
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}

/** A number as pages print it: three significant digits, thousands separated. */
export function printed(value: number): string {
  const digits = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return digits.toLocaleString('en', { maximumFractionDigits: 6 });
}

/** A median with the quartiles around it, as tables of ratios and multiples print it. */
export function withQuartiles({ median, quartiles }: Pick<Figure, 'median' | 'quartiles'>): string {
  return `${median.toFixed(2)} (${quartiles.map((value) => value.toFixed(2)).join('–')})`;
}

/** The line below a table or above a picture that says on what it was measured. */
function provenance({ command, measured }: FiguresFile): string {
  const { at, commit, node, cpu, cores, memoryGiB, kernel } = measured;
  const host = `${cores} cores (${cpu}), ${memoryGiB} GiB, Linux ${kernel.split('-')[0]}`;
  return `<sub>\`${command}\`, ${at.slice(0, 10)}, commit \`${commit}\`, Node ${node.slice(1)}, ${host}.</sub>\n`;
}
