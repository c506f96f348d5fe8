import { writeFile } from 'node:fs/promises';
import { ghostEntries } from '@pressroom/moving/ghost';
import { jsonLineEntries } from '@pressroom/moving/json-lines';
import { MediaMover, picturesOf } from '@pressroom/moving/pictures';
import type { Reason } from '@pressroom/moving/reasons';
import { DiskMap, type SourceEntry } from '@pressroom/moving/source-entry';
import { wordpressEntries } from '@pressroom/moving/wordpress/entries';
import type { Kysely } from 'kysely';
import { readExtraSchema } from '../articles/extra-schema.ts';
import { type ContentConfig, inspectionRules } from '../config.ts';
import { RedirectStore } from '../redirects/store.ts';
import { Site, type SiteValues } from '../site.ts';
import type { ContentTables } from '../tables.ts';
import { sourceSlug } from './import-line.ts';
import { GalleryPictures } from './imported-pictures.ts';
import { Importer, type Outcome, titleOf } from './importer.ts';
import {
  type ClaimedImport,
  type ImportCounts,
  ImportStore,
  keepMade,
  LATER_OPTIONS,
  type NewEntry,
} from './imports-store.ts';
import { OldAddresses } from './redirects.ts';

/** The settings of the service that an import follows. */
export type ImportSettings = Pick<
  ContentConfig,
  'DATABASE_URL' | 'CONTENT_HTML' | 'CONTENT_JSON_LD' | 'CONTENT_OVERLAYS' | 'CONTENT_EXTRA_SCHEMA'
> & { site: SiteValues };

/** Kinds of things that stay out which are told apart; a file may have any number. */
const MOST_KINDS = 100;

/** The longest titles, places and texts of reasons that are kept, in characters: a file may say anything. */
const MOST_CHARACTERS = 300;
const MOST_OF_REASON = 500;

/**
 * Checks or runs an import as the command does, with the file at a path where there is none yet.
 *
 * @param onWork called while there is something to read
 * @throws Failure if the file cannot be imported, WorkLost if the work is no longer this process's
 */
export async function importFile(
  db: Kysely<ContentTables>,
  { claimed, settings }: { claimed: ClaimedImport; settings: ImportSettings },
  file: string,
  onWork: () => void,
): Promise<void> {
  const store = new ImportStore(db);
  await store.clear(claimed);
  await writeFile(file, store.file(claimed));
  const { actor, state } = claimed;
  const options = { ...LATER_OPTIONS, ...claimed.options };
  const site = Site.of(settings.site);
  const dryRun = state === 'checking';
  const oldAddresses =
    site === undefined || dryRun || !options.redirects
      ? undefined
      : new OldAddresses(db, site, new RedirectStore(db, db, settings.site), []);
  const { pictures } = options;
  const media =
    pictures === null || dryRun
      ? undefined
      : new MediaMover(new GalleryPictures(db, claimed, pictures, onWork));
  const importer = new Importer(db, {
    ...{ clean: options.clean, short: options.short, truncate: options.truncate },
    ...{ author: options.author ?? undefined, exact: options.exact, unchecked: false, dryRun, actor },
    media,
    rules: inspectionRules(settings),
    extraSchema: await readExtraSchema(settings.CONTENT_EXTRA_SCHEMA),
    keep: (tx, ids) => keepMade(tx, claimed, ids),
  });
  const tally = new Tally(onWork, dryRun && pictures !== null);
  for await (const outcomes of importer.run(() => tally.watch(entriesOf(file, claimed)))) {
    await oldAddresses?.add(outcomes);
    const known = outcomes.flatMap((one) => (one.kind === 'known' ? [one.id] : []));
    const own = await store.madeBy(claimed, known);
    const first = tally.entries + 1;
    const entries = outcomes.flatMap((outcome) => tally.add(outcome, own, dryRun));
    await store.note(claimed, tally.counts, entries, first);
  }
  await store.note(claimed, tally.counts, [], 0);
  await importer.close();
}

function entriesOf(file: string, { format, options }: ClaimedImport): AsyncIterable<SourceEntry> {
  if (format === 'wordpress') return wordpressEntries(file, { clean: options.clean, slugOf: sourceSlug });
  if (format === 'ghost')
    return ghostEntries(file, { site: options.site?.replace(/\/+$/, ''), slugOf: sourceSlug });
  return jsonLineEntries(file, options.ignore ?? []);
}

/** Counts what comes of a file, which is read twice: the first time tells how much there is. */
class Tally {
  /** The articles so far that a list of them has. */
  entries = 0;
  readonly #outcomes = { created: 0, adapted: 0, known: 0, refused: 0 };
  readonly #leftOut = new Map<string, ImportCounts['left_out'][number]>();
  #terms = 0;
  #read = 0;
  #total: number | null = null;
  #saidAt = 0;
  readonly #onWork: () => void;
  /** The addresses of pictures. */
  readonly #pictures: DiskMap<true> | undefined;

  constructor(onWork: () => void, looksForPictures: boolean) {
    this.#onWork = onWork;
    this.#pictures = looksForPictures ? new DiskMap() : undefined;
  }

  get counts(): ImportCounts {
    return {
      outcomes: this.#outcomes,
      terms: this.#terms,
      pictures: this.#pictures?.size,
      left_out: [...this.#leftOut.values()].toSorted((one, other) => other.count - one.count),
      done: this.#total === null ? 0 : this.#read,
      total: this.#total,
    };
  }

  async *watch(entries: AsyncIterable<SourceEntry>): AsyncGenerator<SourceEntry> {
    this.#read = 0;
    for await (const entry of entries) {
      this.#read += 1;
      // A file of millions of entries would otherwise say as much.
      if (performance.now() - this.#saidAt > 1000) {
        this.#saidAt = performance.now();
        this.#onWork();
      }
      yield entry;
    }
    this.#total = this.#read;
  }

  /** The entry for what came of something; none for what is counted alone. */
  add(outcome: Outcome, own: ReadonlySet<number>, dryRun: boolean): NewEntry[] {
    if (outcome.kind === 'skipped') this.#leave(outcome.reason);
    if (outcome.kind === 'term created' || outcome.kind === 'term known') this.#terms += 1;
    if (outcome.kind !== 'created' && outcome.kind !== 'known' && outcome.kind !== 'refused') return [];
    if (outcome.kind === 'created') this.#look(outcome.entry.line);
    const entry = entryOf(outcome, own, dryRun);
    this.#outcomes[entry.outcome] += 1;
    this.entries += 1;
    return [entry];
  }

  #look(line: unknown): void {
    if (this.#pictures === undefined) return;
    const { html, content, ...article } = line as Record<string, string | undefined>;
    for (const url of picturesOf({ ...article, content: html ?? content ?? '' }))
      if (!this.#pictures.has(url)) this.#pictures.add(url, true);
  }

  #leave(reason: Reason): void {
    const { code, about } = kept(reason);
    const isNew = !this.#leftOut.has(`${code} ${about}`) && this.#leftOut.size >= MOST_KINDS;
    const key = isNew ? 'other null' : `${code} ${about}`;
    const kind = this.#leftOut.get(key) ?? {
      ...(isNew ? { code: 'other', about: null } : { code, about }),
      count: 0,
    };
    this.#leftOut.set(key, { ...kind, count: kind.count + 1 });
  }
}

function entryOf(
  outcome: Extract<Outcome, { kind: 'created' | 'known' | 'refused' }>,
  own: ReadonlySet<number>,
  dryRun: boolean,
): NewEntry {
  if (outcome.kind === 'refused') {
    const { place, title, reason } = outcome;
    return { outcome: 'refused', ...placed(place, title), article_id: null, reasons: [kept(reason)] };
  }
  const { entry, id, kind } = outcome;
  const reasons = (entry.notes ?? []).slice(0, 50).map(kept);
  const isKnown = kind === 'known' && !own.has(id);
  const made = reasons.length > 0 ? 'adapted' : 'created';
  return {
    outcome: isKnown ? 'known' : made,
    ...placed(entry.place, titleOf(entry.line)),
    // A dry run's temporary articles are gone.
    article_id: dryRun && kind === 'created' ? null : id,
    reasons: isKnown ? [] : reasons,
  };
}

function placed(place: string, title: string | undefined): Pick<NewEntry, 'place' | 'title'> {
  const short = (text: string) => shown(text, MOST_CHARACTERS);
  return { place: short(place), title: title === undefined ? null : short(title) };
}

/** A reason as it is kept and shown. */
export function kept({ code, about, text }: Reason): Reason {
  const short = (value: string) => shown(value, MOST_OF_REASON);
  return { code, about: about === null ? null : short(about), text: short(text) };
}

function shown(text: string, most: number): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, most)
    .toWellFormed();
}
