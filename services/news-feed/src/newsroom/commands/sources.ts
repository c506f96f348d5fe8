import { readFileSync } from 'node:fs';
import { Failure } from '@pressroom/common/failures/failure';
import { fileFailure } from '@pressroom/common/files/file-failure';
import { type Command, InvalidArgumentError } from 'commander';
import { readVocabulary } from '../../config.ts';
import { MAX_ENTRIES } from '../feeds/parse-feed.ts';
import { Reader } from '../reading/reader.ts';
import { opmlSettings, writeOpml } from '../sources/opml.ts';
import { SELECT_RULES } from '../sources/select-rule.ts';
import { readRules } from '../sources/source-rules.ts';
import { checkSettings, type SourceSettings } from '../sources/source-settings.ts';
import {
  addSource,
  droppedEntries,
  editSource,
  findSource,
  listSources,
  newestEntries,
  pauseSource,
  refusedEntries,
  removeSource,
  resumeSource,
  type Source,
  sourceCounts,
} from '../sources/source-store.ts';
import { withDatabase } from './with-database.ts';

/** The options of `sources add` and `edit`. */
interface SettingOptions {
  name?: string;
  category?: string;
  direction?: string;
  firstParty?: boolean;
  weight?: number;
  select?: string;
  readPages?: boolean;
  images?: boolean;
  rule?: string[];
  try?: boolean;
  url?: string;
}

/** `newsroom sources`. */
export function addSourceCommands(program: Command): void {
  const sources = program.command('sources').description('the feeds that the worker reads');
  withSettings(
    sources
      .command('add')
      .description('add a feed, or a page that names its feed; the worker reads it at once')
      .argument('<url>'),
  ).action(add);
  withSettings(
    sources
      .command('edit')
      .description('change a source; an empty text removes a name, category or direction')
      .argument('<source>', 'its number or address')
      .option('--url <url>', 'a new address')
      .option('--try', 'only show what the rules do to its last 200 entries')
      .option('--no-first-party', 'it reports on others')
      .option('--no-read-pages', "do not read the articles' pages"),
  ).action(edit);
  sources.command('list').description('list the sources and how they are').action(list);
  sources
    .command('show')
    .description('show everything about a source')
    .argument('<source>', 'its number or address')
    .action(show);
  sources
    .command('dropped')
    .description('list the newest 200 entries that its rules have dropped, and by which rule')
    .argument('<source>', 'its number or address')
    .action(listDropped);
  const changes = [
    ['pause', 'stop reading a source', pauseSource],
    ['resume', 'read a paused or failing source again, at once', resumeSource],
    ['remove', 'forget a source; its items stay', removeSource],
  ] as const;
  for (const [name, description, change] of changes) {
    sources
      .command(name)
      .description(description)
      .argument('<source>', 'its number or address')
      .action(async (given: string) => {
        const { id } = await withDatabase(async (db) => {
          const source = await findSource(db, given);
          await change(db, source.id, new Date());
          return source;
        });
        console.log(`${id}: done`);
      });
  }
  sources
    .command('import')
    .description('add the feeds of an OPML file')
    .argument('<file>', 'the file, or - for standard input')
    .action(importOpml);
  sources
    .command('export')
    .description('print the sources as OPML')
    .action(async () => {
      const vocabulary = readVocabulary(process.env);
      console.log(writeOpml(await withDatabase(listSources), vocabulary, new Date()));
    });
}

function withSettings(command: Command): Command {
  return command
    .option('--name <text>', "what its items name as their source (default: the feed's title)")
    .option('--category <name>', 'the category of its items')
    .option('--direction <names>', 'the directions of its items, separated by commas')
    .option('--first-party', 'it reports on its own work')
    .option('--weight <number>', 'how much it is trusted, from 0 to 10 (default: 1)', weight)
    .option('--select <rule>', SELECT_RULES)
    .option('--read-pages', "read the articles' pages for their text, as robots.txt allows")
    .option(
      '--rule <rule>',
      "what becomes of entries, such as 'drop if title ~ /sponsored/i'; may be repeated",
      several,
    )
    .option('--images', 'take the pictures of its entries (default)')
    .option('--no-images', 'take none, and remove those that its items have');
}

async function add(url: string, options: SettingOptions): Promise<void> {
  const settings = settingsOf(options);
  const { id, added } = await withDatabase((db) => addSource(db, url, settings, new Date()));
  console.log(added ? `${id}: added` : `${id}: already a source; nothing was changed`);
}

async function edit(given: string, options: SettingOptions): Promise<void> {
  if (options.try) return tryRules(given, settingsOf(options).rules ?? []);
  const settings = { ...settingsOf(options), ...(options.url !== undefined && { url: options.url }) };
  const id = await withDatabase(async (db) => {
    const source = await findSource(db, given);
    await editSource(db, source.id, settings, new Date());
    return source.id;
  });
  console.log(`${id}: done`);
}

/** Shows what rules would do to the newest entries of a source, and changes nothing. */
async function tryRules(given: string, rules: readonly string[]): Promise<void> {
  const rule = readRules(rules);
  const entries = await withDatabase(async (db) => newestEntries(db, (await findSource(db, given)).id));
  let dropped = 0;
  for (const entry of entries) {
    const { droppedBy, category, points } = rule(entry);
    if (droppedBy !== undefined) dropped += 1;
    const effects = [
      ...(category === undefined ? [] : [`category ${category}`]),
      ...(points === 0 ? [] : [`score ${points > 0 ? '+' : ''}${points}`]),
    ];
    if (droppedBy !== undefined) console.log(`drop   ${entry.title}: ${droppedBy}`);
    else if (effects.length > 0) console.log(`keep   ${entry.title}: ${effects.join(', ')}`);
  }
  console.log(`${dropped} of ${entries.length} entries would be dropped; nothing was changed`);
}

async function listDropped(given: string): Promise<void> {
  const entries = await withDatabase(async (db) => droppedEntries(db, (await findSource(db, given)).id));
  for (const { title, rule, discovered_at } of entries) {
    console.log(`${discovered_at.toISOString()}  ${title}: ${rule}`);
  }
  if (entries.length === 0) console.log('Its rules have dropped nothing.');
}

async function list(): Promise<void> {
  const { sources, counts } = await withDatabase(async (db) => ({
    sources: await listSources(db),
    counts: await sourceCounts(db, new Date()),
  }));
  if (sources.length === 0)
    return console.log('There are no sources. Add one with `newsroom sources add URL`.');
  const byId = new Map(counts.map((count) => [count.source_id, count]));
  for (const source of sources) {
    const { id, name, url, state, failing_since, last_error, last_success_at } = source;
    const failing = failing_since === null ? '' : `, failing since ${failing_since.toISOString()}`;
    const read = last_success_at === null ? 'not read yet' : `read ${last_success_at.toISOString()}`;
    console.log(`${id}  ${name}  ${url}`);
    console.log(`    ${state}, ${read}, ${byId.get(id)?.day ?? 0} new in 24 h${failing}`);
    if (last_error !== null) console.log(`    ${last_error}`);
    for (const line of shortfalls(source)) console.log(`    ${line}`);
  }
}

/** Why not all entries of a feed arrive, in lines. */
function shortfalls({
  unusable_entries: unusable,
  unread_entries: unread,
  empty_reads: empty,
}: Source): string[] {
  const entries = (count: number) => `${count} ${count === 1 ? 'entry' : 'entries'} of its feed`;
  return [
    ...(unusable > 0 ? [`${entries(unusable)} without an address, or with neither title nor text`] : []),
    ...(unread > 0 ? [`${entries(unread)} not read, because it has more than ${MAX_ENTRIES}`] : []),
    ...(empty >= 3 ? [`0 entries in the last ${empty} reads`] : []),
  ];
}

async function show(given: string): Promise<void> {
  await withDatabase(async (db) => {
    const source = await findSource(db, given);
    const count = (await sourceCounts(db, new Date())).find(({ source_id }) => source_id === source.id);
    const { body_hash: _hash, lease_until: _lease, ...members } = source;
    const shown = { ...members, new_in_24_h: count?.day ?? 0, pending: count?.pending ?? 0 };
    for (const [name, value] of Object.entries(shown)) {
      const text = value instanceof Date ? value.toISOString() : value === null ? '-' : String(value);
      console.log(`${name.replaceAll('_', ' ').padEnd(17)} ${text || '-'}`);
    }
    for (const { title, reason } of await refusedEntries(db, source.id)) {
      console.log(`refused           ${title}: ${reason}`);
    }
  });
}

async function importOpml(file: string): Promise<void> {
  const reader = new Reader();
  const feeds = await reader.read(file, 'opml', readText(file)).finally(() => reader.close());
  const vocabulary = readVocabulary(process.env);
  const refused: string[] = [];
  let added = 0;
  await withDatabase(async (db) => {
    for (const feed of feeds) {
      const { url } = feed;
      try {
        const settings = opmlSettings(feed, vocabulary);
        checkSettings(settings, vocabulary);
        if ((await addSource(db, url, settings, new Date())).added) added += 1;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        refused.push(`${url}: ${error.message}`);
      }
    }
  });
  console.log(
    `${added} added, ${feeds.length - added - refused.length} already there, ${refused.length} refused`,
  );
  for (const line of refused) console.log(line);
  if (refused.length > 0) process.exitCode = 1;
}

function settingsOf(options: SettingOptions): SourceSettings {
  const { direction, url: _url, try: _try, rule, ...rest } = options;
  const directions = direction?.split(',').map((name) => name.trim());
  const settings = {
    ...rest,
    ...(directions && { directions: directions.filter((name) => name !== '') }),
    ...(rule && { rules: rule.filter((text) => text !== '') }),
  };
  checkSettings(settings, readVocabulary(process.env));
  return settings;
}

/** Collects an option that may be repeated. */
function several(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function weight(value: string): number {
  if (!/^\d+(\.\d+)?$/.test(value)) throw new InvalidArgumentError('Expected a number from 0 to 10.');
  return Number(value);
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8');
  } catch (error) {
    throw fileFailure(error, file);
  }
}
