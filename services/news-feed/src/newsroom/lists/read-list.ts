import type { Document, Element } from 'domhandler';
import { languageTag } from '../../language-tag.ts';
import type { RawEntry, RawFeed } from '../feeds/raw-feed.ts';
import { findList } from './find-list.ts';
import { elementsIn, htmlTree, wordsOf } from './html-tree.ts';
import { linkedArticles } from './linked-data.ts';
import { type ListedLink, listEntry } from './list-entry.ts';
import { type ListMember, type ListSelectors, listSelectors } from './list-selectors.ts';

/** Fewer articles in JSON-LD are no list. */
const LEAST_LINKED = 3;

/**
 * The articles that a page lists, as the entries of a feed; none if no list is found.
 *
 * @param selectors where an editor says that they are, see {@link listSelectors}
 */
export function readList(html: string, url: string, selectors: string): RawFeed {
  const tree = htmlTree(html);
  const elements = [...elementsIn(tree)];
  const attribute = (element: string, name: string) =>
    elements.find((one) => one.name === element && one.attribs[name])?.attribs[name] ?? '';
  const base = URL.parse(attribute('base', 'href'), url)?.href ?? url;
  const language = languageTag(attribute('html', 'lang'));
  const title = elements.find(({ name }) => name === 'title');
  const chosen = listSelectors(selectors);
  return {
    title: title && { value: wordsOf(title), markup: 'none' },
    home: base,
    entries: firstOfEach(
      chosen === undefined
        ? foundEntries(tree, base, url, language)
        : chosenEntries(elements, base, language, chosen),
    ),
    languages: language === undefined ? [] : [language],
    links: [],
  };
}

/** A page may list an article several times, as a lead too. */
function firstOfEach(entries: readonly RawEntry[]): RawEntry[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.key, entry])).values()].toReversed();
}

/** Those of the list that the page consists of, or of its JSON-LD if that has others. */
function foundEntries(tree: Document, base: string, url: string, language: string | undefined): RawEntry[] {
  const linked = linkedArticles(tree, base);
  linked.delete(url);
  const listed = findList(tree, base, url).map((link) => listEntry(link, language));
  const common = listed.filter(({ key = '' }) => linked.has(key)).length;
  if (linked.size >= LEAST_LINKED && common < linked.size / 2) return [...linked.values()];
  return listed.map((entry) => {
    const { dates = [], images = [] } = linked.get(entry.key ?? '') ?? {};
    return { ...entry, dates: [...dates, ...entry.dates], images: [...entry.images, ...images] };
  });
}

function chosenEntries(
  elements: readonly Element[],
  base: string,
  language: string | undefined,
  { entry, members }: ListSelectors,
): RawEntry[] {
  return elements.filter(entry).flatMap((record) => {
    const inside = [record, ...elementsIn(record)];
    const member = (name: ListMember) => inside.find((element) => members[name]?.(element));
    const anchors = inside.filter(({ name, attribs }) => name === 'a' && attribs.href);
    const link = members.link === undefined ? anchors[0] : member('link');
    const url = URL.parse(link?.attribs.href ?? '', base);
    if (link === undefined || url === null) return [];
    const same: ListedLink = {
      record,
      url,
      anchors: anchors.filter(({ attribs }) => attribs.href === link.attribs.href),
    };
    const [title, date, summary] = [member('title'), member('date'), member('summary')];
    return [
      listEntry(same, language, {
        ...(title && { title }),
        ...(date && { date }),
        ...(summary && { summary }),
      }),
    ];
  });
}
