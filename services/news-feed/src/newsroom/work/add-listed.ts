import { Failure } from '@pressroom/common/failures/failure';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import type { Reader } from '../reading/reader.ts';
import { type OpmlFeed, opmlSettings } from '../sources/opml.ts';
import { checkSettings } from '../sources/source-settings.ts';
import { addSource } from '../sources/source-store.ts';
import { faultsOfPatterns } from './apply-rules.ts';

/** What became of the feeds of an OPML file. */
export interface AddedFeeds {
  added: number;
  /** Those that are sources already. */
  known: number;
  refused: { url: string; reason: string }[];
}

/** Adds the feeds of an OPML file that are not sources yet. */
export async function addListed(
  db: Kysely<NewsTables>,
  feeds: readonly OpmlFeed[],
  { vocabulary, reader, now }: { vocabulary: Vocabulary; reader: Reader; now: Date },
): Promise<AddedFeeds> {
  const refused: AddedFeeds['refused'] = [];
  let added = 0;
  for (const feed of feeds) {
    const { url } = feed;
    try {
      const settings = opmlSettings(feed, vocabulary);
      checkSettings(settings, vocabulary);
      const [fault] = await faultsOfPatterns(reader, settings.rules);
      if (fault !== undefined) throw new Failure('invalid', fault.message);
      if ((await addSource(db, url, settings, now)).added) added += 1;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      refused.push({ url, reason: error.message });
    }
  }
  return { added, known: feeds.length - added - refused.length, refused };
}
