import { Failure } from '@pressroom/common/failures/failure';
import { generateOpml, parseOpml } from 'feedsmith';
import type { Vocabulary } from '../words.ts';
import { IDENTITIES, type SourceSettings } from './source-settings.ts';
import type { Source } from './sources.ts';

/** A feed that an OPML file lists. */
export interface OpmlFeed {
  url: string;
  /** Candidates for its category: its own, then its folders from the inside out. */
  places: string[];
  /** Everything but its category. */
  settings: SourceSettings;
}

/** Attributes that no other reader has, in their own namespace (OPML 2.0, "Extending OPML"). */
const OWN = [
  'directions',
  'select',
  'weight',
  'first-party',
  'read-pages',
  'text-selector',
  'images',
  'identity',
  'rules',
  'page',
].map((name) => `pressroom:${name}`);
const NAMESPACE = 'xmlns:pressroom="urn:pressroom:source"';

type Outline = {
  text?: string;
  title?: string;
  category?: string;
  xmlUrl?: string;
  outlines?: Outline[];
} & Partial<Record<string, unknown>>;

/** The feeds of an OPML file, in its folders too. Throws a {@link Failure} if it is not one. */
export function readOpml(text: string): OpmlFeed[] {
  try {
    const { body } = parseOpml(text, { extraOutlineAttributes: OWN });
    return feedsIn((body?.outlines ?? []) as Outline[], []);
  } catch (error) {
    throw new Failure('invalid', 'the file is not OPML', { cause: error });
  }
}

function feedsIn(outlines: readonly Outline[], folders: readonly string[]): OpmlFeed[] {
  return outlines.flatMap((outline) => {
    const { xmlUrl, category = '', outlines: inner = [] } = outline;
    if (xmlUrl === undefined) return feedsIn(inner, [outline.text ?? outline.title ?? '', ...folders]);
    // A category may be a path; each of its parts is one (OPML 2.0, "What is an <outline>?").
    const categories = category.split(/[,/]/).map((name) => name.trim());
    return [{ url: xmlUrl, places: [...categories, ...folders], settings: settingsOf(outline) }];
  });
}

function settingsOf(outline: Outline): SourceSettings {
  const own = (name: string) => {
    const value = outline[`pressroom:${name}`];
    return typeof value === 'string' ? value : undefined;
  };
  const [directions, select, weight, rules, page] = ['directions', 'select', 'weight', 'rules', 'page'].map(
    own,
  );
  const textSelector = own('text-selector');
  const identity = IDENTITIES.find((one) => one === own('identity'));
  // Other readers call a feed by its text alone; here, that may be the feed's own title.
  const name = outline.title ?? (select === undefined ? outline.text : undefined);
  return {
    ...(name !== undefined && { name: name.slice(0, 200) }),
    ...(directions !== undefined && { directions: directions.split(',').filter((word) => word !== '') }),
    ...(select !== undefined && { select }),
    ...(weight !== undefined && { weight: Number(weight) }),
    ...(own('first-party') === 'true' && { firstParty: true }),
    ...(own('read-pages') === 'true' && { readPages: true }),
    ...(textSelector !== undefined && { textSelector }),
    ...(own('images') === 'false' && { images: false }),
    ...(identity !== undefined && { identity }),
    ...(rules !== undefined && { rules: rulesIn(rules) }),
    ...(page !== undefined && { page }),
  };
}

/** A text that is no list of rules is passed on as one rule, which is then refused. */
function rulesIn(text: string): string[] {
  const rules: unknown = text.startsWith('[') ? JSON.parse(text) : [text];
  return Array.isArray(rules) ? rules.map(String) : [text];
}

/** The settings of a listed feed: its category is the first of its places that is one, by name or label. */
export function opmlSettings({ places, settings }: OpmlFeed, { labels }: Vocabulary): SourceSettings {
  const known = [...labels.category];
  for (const place of places) {
    const found = known.find((names) => names.some((name) => name.toLowerCase() === place.toLowerCase()));
    if (found !== undefined) return { ...settings, category: found[0] };
  }
  return settings;
}

/**
 * The sources as OPML 2.0, in a folder for each category. Throws a {@link Failure} without any, since OPML
 * has at least one outline.
 */
export function writeOpml(sources: readonly Source[], { labels }: Vocabulary, now: Date): string {
  if (sources.length === 0) throw new Failure('missing', 'there are no sources to write');
  const byCategory = Map.groupBy(sources, ({ category }) => category);
  const outlines = [...byCategory].flatMap(([category, members]): Outline[] => {
    const inside = members.map(outlineOf);
    return category === null
      ? inside
      : [{ text: labels.category.get(category) ?? category, outlines: inside }];
  });
  const head = { title: 'Sources of the newsroom', dateCreated: now };
  const options = { extraOutlineAttributes: OWN };
  const opml = generateOpml({ head, body: { outlines: outlines as { text: string }[] } }, options);
  return opml.replace('<opml ', `<opml ${NAMESPACE} `);
}

function outlineOf(source: Source): Outline {
  const { name, url, category, directions, select_rule, weight, first_party, reads_pages } = source;
  const { takes_images, identity, rules, list_selectors: page, text_selector: textSelector } = source;
  return {
    text: name,
    // Only names given by an editor: otherwise the source keeps the title of its feed.
    ...(source.is_named && { title: name }),
    type: 'rss',
    xmlUrl: url,
    ...(category !== null && { category }),
    ...(directions.length > 0 && { 'pressroom:directions': directions.join(',') }),
    'pressroom:select': select_rule,
    'pressroom:weight': String(weight),
    ...(first_party && { 'pressroom:first-party': 'true' }),
    ...(reads_pages && { 'pressroom:read-pages': 'true' }),
    ...(textSelector !== null && { 'pressroom:text-selector': textSelector }),
    ...(!takes_images && { 'pressroom:images': 'false' }),
    ...(identity !== 'auto' && { 'pressroom:identity': identity }),
    ...(rules.length > 0 && { 'pressroom:rules': JSON.stringify(rules) }),
    ...(page !== null && { 'pressroom:page': page }),
  };
}
