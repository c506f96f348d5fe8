import { type Document, DomHandler, type Element, isTag, isText, type ParentNode } from 'domhandler';
import { Parser } from 'htmlparser2';
import { languageTag } from '../fields.ts';
import { dateInAddress, dateInWords } from './dates.ts';
import type { RawEntry, RawFeed, RawImage } from './feed.ts';
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

/** Returns the entries of the page's list, or of its JSON-LD if that has others. */
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

/** The most links of a page that are looked at. */
const MOST_LINKS = 5000;

/** Only the lists with the most text in their links are compared, at most this many. */
const MOST_LISTS = 30;

/** Fewer are no list. */
const LEAST_ENTRIES = 3;

/** Parts of a page that repeat links and are not its list, by their elements, roles and names. */
const ASIDE = new Set(['nav', 'footer', 'aside', 'dialog']);
const ASIDE_ROLE = /^(?:navigation|complementary|contentinfo|search|menu|menubar|dialog)$/;
const ASIDE_NAME =
  /(?:^|[_-])(?:nav|navi|navigation|navbar|menu|submenu|footer|sidebar|aside|breadcrumbs?|pagination|pager|paging|share|social|comments?|tags|tagcloud|related|popular|trending|cookie|newsletter|login|topbar|toolbar|archives?|blogroll|calendar)(?:$|[_-])/i;

/** Class names that WordPress themes give to an article. */
const ARTICLE_NAME = /^(?:tag|category|cat|post|type|status|format|no|has|with|is)[_-]/i;

/** An element with a greater share of the page's text is not aside, whatever its name. */
const MOST_ASIDE = 0.6;

/** The least score of an entry in a part of a list, to that in its best part. */
const LEAST_LIKENESS = 0.25;

/** A shorter text is no title. */
const LEAST_TITLE = 15;

/** Addresses of lists and of functions, not of articles. */
const NO_ARTICLE =
  /\/(?:tags?|categor(?:y|ies|ia)|authors?|users?|members?|profile|search|login|register|feed|rss|page|label)(?:\.php|\/[^/]*)?\/?$|\/archives?\/?$|[?&](?:cat|tag|author|s|q|paged?|replytocom)=|\.(?:jpe?g|png|gif|webp|svg|zip|xml|css|js)$/i;

/** The list of articles that a page consists of; empty if there is none. */
function findList(tree: Document, base: string, pageUrl: string): ListedLink[] {
  const links = linksOf(tree, base, pageUrl);
  const groups = Map.groupBy(links, ({ path }) => path);
  const lists = [...groups.values()]
    .map((group) => ({ group, length: group.reduce((sum, { anchor }) => sum + lengthOf(anchor), 0) }))
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MOST_LISTS)
    .map(({ group }) => recordsOf(group))
    .filter((list) => list.length >= LEAST_ENTRIES);
  const scored = lists.map((list) => ({ list, score: scoreOf(list, pageUrl) }));
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a), { list: [] as ListedLink[], score: 0 });
  return withSiblings(evenList(best.list, pageUrl), links);
}

/** Without the lists that have the same path and are not alike, such as a menu beside the news. */
function evenList(list: readonly ListedLink[], pageUrl: string): readonly ListedLink[] {
  const parts = [...Map.groupBy(list, ({ record }) => record.parent).values()];
  const scored = parts.map((part) => ({ part, score: scoreOf(part, pageUrl) }));
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a), { part: list, score: 0 });
  const least = (best.score / best.part.length) * LEAST_LIKENESS;
  return scored.flatMap(({ part, score }) => (score / part.length >= least ? part : []));
}

/** With the articles beside those of a list that are built differently, such as the first one. */
function withSiblings(list: readonly ListedLink[], links: readonly Link[]): ListedLink[] {
  const known = new Set<ParentNode>(list.map(({ record }) => record));
  const urls = new Set(list.map(({ url }) => url.href));
  const kinds = new Set(list.map(({ record }) => record.name));
  const parents = new Set(list.map(({ record }) => record.parent));
  const others = new Map<Element, Link[]>();
  for (const link of links) {
    let record: Element = link.anchor;
    while (
      !parents.has(record.parent) &&
      record.parent !== null &&
      isTag(record.parent) &&
      !known.has(record)
    )
      record = record.parent;
    if (parents.has(record.parent) && !known.has(record) && kinds.has(record.name)) {
      others.set(record, others.get(record) ?? []);
      others.get(record)?.push(link);
    }
  }
  const added = [...others].flatMap(([record, inside]) => {
    const titled = Map.groupBy(inside, ({ url }) => url.href)
      .values()
      .map((same) => ({ url: same[0]?.url, anchors: same.map(({ anchor }) => anchor) }));
    const best = titled
      .map((one) => ({ ...one, length: weightOf(longestOf(one.anchors)) }))
      .reduce((a, b) => (b.length > a.length ? b : a));
    return best.url === undefined ||
      best.length < LEAST_TITLE ||
      urls.has(best.url.href) ||
      NO_ARTICLE.test(best.url.pathname + best.url.search)
      ? []
      : [{ record, url: best.url, anchors: best.anchors }];
  });
  return [...list, ...added];
}

function lengthOf(anchor: Element): number {
  return linesOf(anchor, 200).join(' ').length;
}

function longestOf(anchors: readonly Element[]): string {
  return anchors.map(wordsOf).reduce((a, b) => (b.length > a.length ? b : a), '');
}

interface Link {
  anchor: Element;
  url: URL;
  /** The names of the elements that it is in. */
  path: string;
}

function linksOf(tree: Document, base: string, pageUrl: string): Link[] {
  const links: Link[] = [];
  const main = mostOf(tree);
  const own = withoutHash(new URL(pageUrl)).href;
  const visit = (node: ParentNode, path: string) => {
    for (const child of node.children) {
      if (!isTag(child) || (isAside(child) && !main.has(child)) || links.length >= MOST_LINKS) continue;
      const below = `${path}>${child.name}`;
      const url = child.name === 'a' ? URL.parse(child.attribs.href ?? '', base) : null;
      if (url !== null && /^https?:$/.test(url.protocol) && child.attribs.href?.trim()) {
        const plain = withoutHash(url);
        if (plain.href !== own && plain.pathname + plain.search !== '/')
          links.push({ anchor: child, url: plain, path: below });
      }
      visit(child, below);
    }
  };
  visit(tree, '');
  return links;
}

/** The elements that have most of the page's text, or its `main` element. */
function mostOf(tree: Document): Set<ParentNode> {
  const lengths = new Map<ParentNode, number>();
  const found = new Set<ParentNode>();
  const measure = (node: ParentNode): number => {
    let length = 0;
    for (const child of node.children) {
      if (isText(child)) length += child.data.trim().length;
      if (!isTag(child) || SILENT.has(child.name)) continue;
      length += measure(child);
      if (child.name === 'main' || found.has(child)) found.add(node);
    }
    lengths.set(node, length);
    return length;
  };
  const least = measure(tree) * MOST_ASIDE;
  for (const [node, length] of lengths) if (length > least) found.add(node);
  return found;
}

function withoutHash(url: URL): URL {
  url.hash = '';
  return url;
}

function isAside({ name, attribs: { role, class: names, id } }: Element): boolean {
  if (name === 'body' || name === 'html' || name === 'main' || name === 'article') return false;
  return (
    ASIDE.has(name) ||
    ASIDE_ROLE.test(role ?? '') ||
    `${names ?? ''} ${id ?? ''}`.split(/\s+/).some((one) => ASIDE_NAME.test(one) && !ARTICLE_NAME.test(one))
  );
}

/** Each article with the largest element that has no other article of the group. */
function recordsOf(links: readonly Link[]): ListedLink[] {
  const inside = new Map<ParentNode, Set<string>>();
  for (const { anchor, url } of links) {
    for (let node: ParentNode | null = anchor; node !== null; node = node.parent) {
      const urls = inside.get(node) ?? new Set();
      inside.set(node, urls.add(url.href));
    }
  }
  const byUrl = Map.groupBy(links, ({ url }) => url.href);
  return [...byUrl.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    let record = first.anchor;
    for (
      let node = record.parent;
      node !== null && isTag(node) && inside.get(node)?.size === 1;
      node = node.parent
    ) {
      record = node;
    }
    return [{ record, url: first.url, anchors: same.map(({ anchor }) => anchor) }];
  });
}

function scoreOf(list: readonly ListedLink[], pageUrl: string): number {
  const titles = list.map(({ record, anchors }) => titleOf(record, anchors));
  const distinct = new Set(titles).size / list.length;
  const host = new URL(pageUrl).host;
  const share = (test: (link: ListedLink) => boolean) => list.filter(test).length / list.length;
  const words = titles.reduce((sum, title) => sum + Math.min(80, weightOf(title)), 0);
  const text = list.reduce((sum, { record }) => sum + Math.min(200, wordsOf(record).length), 0);
  const articles = share(({ url }) => !NO_ARTICLE.test(url.pathname + url.search));
  const dated = share(({ record }) => hasDate(record));
  const own = share(({ url }) => url.host === host);
  return (words + text / 2) * distinct ** 2 * articles ** 2 * (1 + dated) * (0.5 + own / 2);
}

function hasDate(record: Element): boolean {
  if (elementsOfPart(record).some(({ name, attribs }) => name === 'time' || attribs.datetime)) return true;
  return linesOf(record).some((line) => line.length < 120 && /(?:19|20)\d\d/.test(line) && /\d/.test(line));
}

/** The length of a title; a character of Chinese, Japanese or Korean says as much as a syllable. */
function weightOf(title: string): number {
  const wide = title.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g)?.length ?? 0;
  return title.length + 1.5 * wide;
}

interface ListedLink {
  /** The element that has everything about it, and nothing about others. */
  record: Element;
  /** The article's address. */
  url: URL;
  /** Links inside it that lead there. */
  anchors: readonly Element[];
}

/** The elements in which an editor says that the members are. */
type ChosenElements = Partial<Record<'title' | 'date' | 'summary', Element>>;

const LEAST_SUMMARY = 40;

/** The most characters of a line with a date in it. */
const MOST_DATE_LINE = 120;

/** Attributes of pictures, those first that are loaded when they are seen. */
const PICTURE = ['data-src', 'data-original', 'data-lazy-src', 'src'];

/** Returns the entry of an article that a page lists. */
function listEntry(
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
function titleOf(record: Element, anchors: readonly Element[]): string {
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

/** The most values of a page's JSON-LD that are looked at. */
const MOST_VALUES = 20_000;

/** The types of schema.org that are articles, and places in a list, which may name one. */
const TYPES = /(?:Article|BlogPosting|Report|ListItem)$/;

/** Returns the articles that a page lists in JSON-LD (schema.org), with their data there. */
function linkedArticles(tree: Document, base: string): Map<string, RawEntry> {
  const found = new Map<string, RawEntry>();
  const values = [...elementsIn(tree)]
    .filter(({ name, attribs }) => name === 'script' && /^application\/ld\+json/i.test(attribs.type ?? ''))
    .flatMap(({ children }) => parsed(children.map((child) => ('data' in child ? child.data : '')).join('')));
  // Breadth first: values found here are examined later. A list of breadcrumbs names no articles.
  for (let next = 0; next < Math.min(values.length, MOST_VALUES); next += 1) {
    const value = values[next];
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) && text(value, '@type') === 'BreadcrumbList') continue;
    for (const inner of Object.values(value)) if (values.length < MOST_VALUES) values.push(inner);
    const entry = Array.isArray(value) ? undefined : entryOf(value, base);
    if (entry?.key !== undefined && !found.has(entry.key)) found.set(entry.key, entry);
  }
  return found;
}

function entryOf(value: object, base: string): RawEntry | undefined {
  const types = [member(value, '@type')].flat();
  const title = text(value, 'headline') ?? text(value, 'name');
  const address = text(value, 'url') ?? text(value, 'mainEntityOfPage') ?? text(value, '@id');
  const url = URL.parse(address ?? '', base);
  if (
    !types.some((type) => TYPES.test(String(type))) ||
    title === undefined ||
    address === undefined ||
    url === null
  ) {
    return undefined;
  }
  url.hash = '';
  const image = text(value, 'image') ?? text(value, 'thumbnailUrl');
  return {
    key: url.href,
    titles: [{ value: title, markup: 'unknown' }],
    texts: [{ value: text(value, 'description') ?? '', markup: 'unknown' }],
    links: [{ href: url.href }],
    dates: [text(value, 'datePublished')].filter((date) => date !== undefined),
    images: image === undefined ? [] : [{ href: image }],
    languages: [text(value, 'inLanguage')].filter((language) => language !== undefined),
  };
}

function parsed(json: string): unknown[] {
  try {
    return [JSON.parse(json)];
  } catch {
    return [];
  }
}

function member(value: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/** A text, the first of several, or the address of a thing. */
function text(value: object, name: string): string | undefined {
  const [given] = [member(value, name)].flat();
  if (typeof given === 'string') return given;
  if (typeof given !== 'object' || given === null) return undefined;
  return text(given, 'url') ?? text(given, '@id');
}

/** No list is nested deeper, and the parser's time for an end tag grows with the depth. */
const MOST_DEPTH = 200;

/** The most elements of a page that are read. */
const MOST_ELEMENTS = 100_000;

/** Ends the parser where enough was read. */
class Enough extends Error {}

class BoundedTree extends DomHandler {
  #elements = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    this.#elements += 1;
    if (this.#elements > MOST_ELEMENTS || this.tagStack.length > MOST_DEPTH) throw new Enough();
    super.onopentag(name, attributes);
  }
}

/** The tree of a page, up to where it has too many elements or they are nested too deep. */
function htmlTree(html: string): Document {
  const tree = new BoundedTree();
  try {
    new Parser(tree).end(html);
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return tree.root;
}

/** The elements below a node, in the page's order. */
function* elementsIn(node: ParentNode): Generator<Element> {
  for (const child of node.children) {
    if (!isTag(child)) continue;
    yield child;
    yield* elementsIn(child);
  }
}

/** Elements examined of an article's part of a page: all that a page repeats. */
const MOST_OF_PART = 1000;

/** The first elements of a part of a page: parts overlap, so each may cost no more than a bit. */
function elementsOfPart(part: Element): Element[] {
  return elementsIn(part).take(MOST_OF_PART).toArray();
}

/** Elements that do not separate words. */
const INLINE = new Set(
  'a abbr b bdi bdo cite code em font i mark q s small span strong sub sup u wbr'.split(' '),
);

/** Elements whose contents are not text. */
const SILENT = new Set('script style noscript template svg select textarea iframe button'.split(' '));

/** The text of an element as its lines, up to about `most` characters. */
function linesOf(node: ParentNode, most = 3000): string[] {
  let text = '';
  const add = ({ children }: ParentNode) => {
    for (const child of children) {
      if (text.length > most) return;
      if (isText(child)) text += child.data.replace(/\s+/g, ' ');
      if (!isTag(child) || SILENT.has(child.name)) continue;
      const edge = INLINE.has(child.name) ? '' : '\n';
      text += edge;
      add(child);
      text += edge;
    }
  };
  add(node);
  return text.split('\n').flatMap((line) => line.trim() || []);
}

/** The text of an element as one line. */
function wordsOf(node: ParentNode): string {
  return linesOf(node).join(' ').replace(/\s+/g, ' ');
}
