import { Failure } from '@pressroom/common/failures/failure';
import { generateOpml, parseOpml } from 'feedsmith';
import type { Source } from './source-store.ts';

/** A feed that an OPML file lists. */
export interface OpmlFeed {
  url: string;
  /** Empty if it has none. */
  name: string;
}

interface Outline {
  text?: string;
  title?: string;
  xmlUrl?: string;
  outlines?: Outline[];
}

/** The feeds of an OPML file, in its folders too. Throws a {@link Failure} if it is not one. */
export function readOpml(text: string): OpmlFeed[] {
  try {
    return feedsIn(parseOpml(text).body?.outlines ?? []);
  } catch (error) {
    throw new Failure('invalid', 'the file is not OPML', { cause: error });
  }
}

function feedsIn(outlines: readonly Outline[]): OpmlFeed[] {
  return outlines.flatMap(({ text, title, xmlUrl, outlines: inner = [] }) => [
    ...(xmlUrl === undefined ? [] : [{ url: xmlUrl, name: (title ?? text ?? '').slice(0, 200) }]),
    ...feedsIn(inner),
  ]);
}

/** The sources as OPML 2.0. */
export function writeOpml(sources: readonly Source[], now: Date): string {
  const outlines = sources.map(({ name, url }) => ({ text: name, title: name, type: 'rss', xmlUrl: url }));
  return generateOpml({ head: { title: 'Sources of the newsroom', dateCreated: now }, body: { outlines } });
}
