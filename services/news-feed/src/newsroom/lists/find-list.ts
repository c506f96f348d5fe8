import { type Document, type Element, isTag, isText, type ParentNode } from 'domhandler';
import { elementsOfPart, linesOf, SILENT, wordsOf } from './html-tree.ts';
import { type ListedLink, titleOf } from './list-entry.ts';

/** The most links of a page that are looked at. */
const MOST_LINKS = 5000;

/** How many lists are compared, those with the most text in their links. */
const MOST_LISTS = 30;

/** Fewer are no list. */
const LEAST_ENTRIES = 3;

/**
 * Parts of a page that repeat links and are not its list, by their elements and roles, and by what they are
 * called.
 */
const ASIDE = new Set(['nav', 'footer', 'aside', 'dialog']);
const ASIDE_ROLE = /^(?:navigation|complementary|contentinfo|search|menu|menubar|dialog)$/;
const ASIDE_NAME =
  /(?:^|[_-])(?:nav|navi|navigation|navbar|menu|submenu|footer|sidebar|aside|breadcrumbs?|pagination|pager|paging|share|social|comments?|tags|tagcloud|related|popular|trending|cookie|newsletter|login|topbar|toolbar|archives?|blogroll|calendar)(?:$|[_-])/i;

/** What themes call an article itself by. */
const ARTICLE_NAME = /^(?:tag|category|cat|post|type|status|format|no|has|with|is)[_-]/i;

/** What has more of the page's text is not aside, whatever it is called. */
const MOST_ASIDE = 0.6;

/** The least score of an entry in a part of a list, to that in its best part. */
const LEAST_LIKENESS = 0.25;

/** A shorter text is no title. */
const LEAST_TITLE = 15;

/** Addresses of lists and of functions, not of articles. */
const NO_ARTICLE =
  /\/(?:tags?|categor(?:y|ies|ia)|authors?|users?|members?|profile|search|login|register|feed|rss|page|label)(?:\.php|\/[^/]*)?\/?$|\/archives?\/?$|[?&](?:cat|tag|author|s|q|paged?|replytocom)=|\.(?:jpe?g|png|gif|webp|svg|zip|xml|css|js)$/i;

/** The list of articles that a page consists of; empty if there is none. */
export function findList(tree: Document, base: string, pageUrl: string): ListedLink[] {
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
