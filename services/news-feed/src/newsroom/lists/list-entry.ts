import type { Element } from 'domhandler';
import type { RawEntry, RawImage } from '../feeds/raw-feed.ts';
import { dateInAddress, dateInWords } from './date-in-words.ts';
import { elementsOfPart, linesOf, wordsOf } from './html-tree.ts';

/** Where a page lists an article. */
export interface ListedLink {
  /** The element that has everything about it, and nothing about others. */
  record: Element;
  /** The article's address. */
  url: URL;
  /** Those of its links inside that lead there. */
  anchors: readonly Element[];
}

/** The elements in which an editor says that the members are. */
export type ChosenElements = Partial<Record<'title' | 'date' | 'summary', Element>>;

/** A shorter text is a label. */
const LEAST_SUMMARY = 40;

/** The most characters of a line with a date in it. */
const MOST_DATE_LINE = 120;

/** Attributes of pictures, those first that are loaded when they are seen. */
const PICTURE = ['data-src', 'data-original', 'data-lazy-src', 'src'];

/** What a page says of an article that it lists. */
export function listEntry(
  { record, url, anchors }: ListedLink,
  language: string | undefined,
  chosen: ChosenElements = {},
): RawEntry {
  const title = chosen.title === undefined ? titleOf(record, anchors) : wordsOf(chosen.title);
  const lines = linesOf(record);
  const after = lines.slice(lines.indexOf(title) + 1).filter((line) => line.length >= LEAST_SUMMARY);
  const summary = chosen.summary === undefined ? after.join(' ') : wordsOf(chosen.summary);
  return {
    key: url.href,
    titles: [{ value: title, markup: 'none' }],
    texts: [{ value: summary, markup: 'none' }],
    links: [{ href: url.href }],
    dates: [...datesOf(chosen.date ?? record, language), dateInAddress(url)].filter(
      (date) => date !== undefined,
    ),
    images: picturesOf(record),
    languages: [],
  };
}

/** The words of its heading; else of its longest link, if that has no name of its own. */
export function titleOf(record: Element, anchors: readonly Element[]): string {
  const elements = elementsOfPart(record);
  const headings = elements.filter(({ name }) => /^h[1-6]$/.test(name));
  const inside = anchors.flatMap(elementsOfPart);
  const headed = headings.filter((heading) => inside.includes(heading) || holds(heading, anchors));
  const named = elements.filter(({ attribs }) =>
    /headline|(?:^|\s)name(?:\s|$)/.test(attribs.itemprop ?? ''),
  );
  const heading = [...headed, ...named, ...headings].map(wordsOf).find((words) => words !== '');
  if (heading !== undefined) return heading;
  const titled = inside
    .filter(({ attribs }) => /title|headline|heading/i.test(attribs.class ?? ''))
    .map(wordsOf);
  const lines = anchors.flatMap((anchor) => linesOf(anchor));
  const shown = titled.find((words) => words !== '') ?? longest(lines);
  if (shown !== '') return shown;
  return longest(anchors.map(({ attribs }) => attribs.title ?? attribs['aria-label'] ?? ''));
}

function holds(element: Element, anchors: readonly Element[]): boolean {
  return elementsOfPart(element).some((inner) => anchors.includes(inner));
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '');
}

/** The dates of an element: for machines, then in words. */
function datesOf(element: Element, language: string | undefined): (string | undefined)[] {
  const all = [element, ...elementsOfPart(element)];
  const forMachines = all.flatMap(({ attribs: { datetime, content, title, itemprop, class: names } }) => {
    if (datetime !== undefined) return [datetime];
    if (/datePublished/.test(itemprop ?? '') && content !== undefined) return [content];
    return /published|date|time/i.test(names ?? '') && title !== undefined ? [title] : [];
  });
  const lines = linesOf(element).filter((line) => line.length <= MOST_DATE_LINE);
  return [
    ...forMachines,
    ...lines
      .values()
      .map((line) => dateInWords(line, language))
      .filter(Boolean)
      .take(1),
  ];
}

function picturesOf(record: Element): RawImage[] {
  return elementsOfPart(record).flatMap(({ name, attribs }) => {
    if (name !== 'img') return [];
    const href = PICTURE.map((attribute) => attribs[attribute]).find(
      (value) => value && !/^data:/i.test(value),
    );
    const { width, height, alt } = attribs;
    return href === undefined ? [] : [{ href, width, height, alt }];
  });
}
