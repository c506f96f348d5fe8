import { Failure } from '@pressroom/common/failures/failure';
import { readTextFile } from '@pressroom/common/files/json-lines';
import { readConfig } from '@pressroom/common/start/config';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Kysely } from 'kysely';
import { FOUND, LIST_SELECTORS } from '../../reading/list-selectors.ts';
import { writeOpml } from '../../reading/opml.ts';
import { MAX_ENTRIES } from '../../reading/parse-feed.ts';
import { Reader } from '../../reading/reader.ts';
import { patternFaults, SELECT_RULES } from '../../reading/source-rules.ts';
import { checkSettings, IDENTITIES, type SourceSettings, sourceUrl } from '../../reading/source-settings.ts';
import {
  addListed,
  addSource,
  droppedEntries,
  editSource,
  findSource,
  listSources,
  pauseSource,
  refusedEntries,
  removeSource,
  restoreSource,
  resumeSource,
  type Source,
  sourceCounts,
  sourceMembers,
  type TriedEntry,
  tryRules,
} from '../../reading/sources.ts';
import { FETCH_LIMITS, WebFetcher, WebPageReader } from '../../reading/web-fetcher.ts';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../words.ts';
import { sharedSlots, sharedTurns } from '../../work/leases.ts';
import { type TriedSource, type TrySettings, trySource } from '../../work/try-source.ts';
import { workerSettings } from '../../work/worker-config.ts';
import { sourcePath } from '../desk/sources.ts';
import { type PrintOptions, print, readAs, withDatabase, withJsonOption, withNewsroom } from './options.ts';

/** The options of `sources add` and `edit`. */
interface SettingOptions extends PrintOptions {
  name?: string;
  category?: string;
  direction?: string;
  firstParty?: boolean;
  weight?: number;
  select?: string;
  readPages?: boolean;
  textSelector?: string;
  images?: boolean;
  identity?: (typeof IDENTITIES)[number];
  rule?: string[];
  page?: string | boolean;
  try?: boolean;
  url?: string;
}

/** `newsroom sources`. */
export function addSourceCommands(program: Command): void {
  const sources = program.command('sources').description('the feeds that the worker reads');
  withSettings(
    sources
      .command('add')
      .description('add a feed, a page that names its feed, or a sitemap; the worker reads it at once')
      .argument('<url>')
      .option('--try', 'only show what it brings'),
  ).action(add);
  withSettings(
    sources
      .command('edit')
      .description('change a source; an empty text removes a name, category or direction')
      .argument('<source>', 'its number or address')
      .option('--url <url>', 'a new address')
      .option('--try', 'only show what its page lists, or what the rules do to its last 200 entries')
      .option('--no-page', 'it is a feed or a sitemap')
      .option('--no-first-party', 'it reports on others')
      .option('--no-read-pages', "do not read the articles' pages"),
  ).action(edit);
  withJsonOption(sources.command('list')).description('list the sources and their state').action(list);
  withJsonOption(sources.command('show'))
    .description('show everything about a source')
    .argument('<source>', 'its number or address')
    .action(show);
  withJsonOption(sources.command('dropped'))
    .description('list the newest 200 entries that its rules have dropped, and by which rule')
    .argument('<source>', 'its number or address')
    .action(listDropped);
  const changes = [
    ['pause', 'stop reading a source', pauseSource],
    ['resume', 'read a paused or failing source again, at once', resumeSource],
    ['remove', 'remove a source; its items stay, and `restore` brings it back', removeSource],
  ] as const;
  for (const [name, description, change] of changes) {
    withJsonOption(sources.command(name))
      .description(description)
      .argument('<source>', 'its number or address')
      .action(async (given: string, options: PrintOptions) => {
        const { id } = await withDatabase(async (db) => {
          const source = await findSource(db, given);
          await change(db, source.id, new Date());
          return source;
        });
        print(options, { id }, () => `${id}: done`);
      });
  }
  withJsonOption(sources.command('restore'))
    .description('bring a source back that was removed in the last NEWS_KEEP_DAYS, as it was')
    .argument('<source>', 'its number', readAs(sourcePath.shape.id))
    .action(async (id: number, options: PrintOptions) => {
      await withDatabase((db) => restoreSource(db, id, new Date()));
      print(options, { id }, () => `${id}: done`);
    });
  withJsonOption(sources.command('import'))
    .description('add the feeds of an OPML file')
    .argument('<file>', 'the file, or - for standard input')
    .action(importOpml);
  sources
    .command('export')
    .description('print the sources as OPML')
    .action(async () => {
      const opml = await withNewsroom(async (db, vocabulary) =>
        writeOpml(await listSources(db), vocabulary, new Date()),
      );
      console.log(opml);
    });
}

function withSettings(command: Command): Command {
  return withJsonOption(command)
    .option('--name <text>', "the source that its items name (default: the feed's title)")
    .option('--category <name>', 'the category of its items')
    .option('--direction <names>', 'the directions of its items, separated by commas')
    .option('--first-party', 'it reports on its own work')
    .option('--weight <number>', 'how much it is trusted, from 0 to 10 (default: 1)', weight)
    .option('--select <rule>', SELECT_RULES)
    .option('--read-pages', "read the articles' pages for their text, as robots.txt allows")
    .option('--text-selector <css>', 'where that text is on them (empty: it is found without)')
    .option(
      '--rule <rule>',
      "what to do with entries, such as 'drop if title ~ /sponsored/i'; may be repeated",
      several,
    )
    .option(
      '--page [selectors]',
      `it is a page that lists articles: they are found, or are where CSS says, ${LIST_SELECTORS}`,
    )
    .addOption(
      new Option('--identity <by>', 'what tells its entries apart (default: auto)').choices(IDENTITIES),
    )
    .option('--images', 'take the pictures of its entries (default)')
    .option('--no-images', 'take none, and remove those that its items have');
}

async function add(url: string, options: SettingOptions): Promise<void> {
  await withNewsroom(async (db, vocabulary) => {
    const settings = settingsOf(options, vocabulary);
    const isShown = options.try || settings.page;
    const found = isShown ? await showFound(db, sourceUrl(url), settings, options) : undefined;
    if (options.try) return;
    const { id, added } = await addSource(db, url, settings, new Date());
    print(options, { ...found, id, added }, () =>
      added ? `${id}: added` : `${id}: already a source; nothing was changed`,
    );
  });
}

async function edit(given: string, options: SettingOptions): Promise<void> {
  await withNewsroom(async (db, vocabulary) => {
    const settings = {
      ...settingsOf(options, vocabulary),
      ...(options.url !== undefined && { url: options.url }),
    };
    const { id, url, proxy, list_selectors: ownPage } = await findSource(db, given);
    const isShown = settings.page || (options.try && settings.textSelector !== undefined);
    const tried = { ...settings, proxy, page: settings.page ?? (ownPage || false) };
    const found = isShown ? await showFound(db, sourceUrl(settings.url ?? url), tried, options) : undefined;
    if (options.try) return isShown ? undefined : showTried(db, id, settings.rules ?? [], options);
    await editSource(db, id, settings, new Date());
    print(options, { ...found, id }, () => `${id}: done`);
  });
}

/** Shows the entries of a source before it is kept; as JSON only if it is not kept. */
async function showFound(
  db: Kysely<NewsTables>,
  url: string,
  { page, textSelector, proxy = null }: SourceSettings & { proxy?: string | null },
  { try: isTried, json = false }: SettingOptions,
): Promise<TriedSource> {
  const found = await tryOnce(db, url, { page: page || null, textSelector, proxy });
  if (json && !isTried) return found;
  print({ json }, found, () =>
    [...foundLines(found), ...(isTried ? ['nothing was changed'] : [])].join('\n'),
  );
  return found;
}

/** Shows the outcome of rules for the newest entries of a source, and changes nothing. */
async function showTried(
  db: Kysely<NewsTables>,
  id: number,
  rules: readonly string[],
  options: PrintOptions,
): Promise<void> {
  const reader = new Reader();
  const tried = await tryRules({ db, reader }, id, rules).finally(() => reader.close());
  print(options, tried, () => {
    const dropped = tried.filter(({ droppedBy }) => droppedBy !== undefined);
    const summary = `${dropped.length} of ${tried.length} entries would be dropped; nothing was changed`;
    return [...tried.flatMap(triedLine), summary].join('\n');
  });
}

/** Describes the outcome of rules for an entry in a line, if they have any. */
function triedLine({ title, droppedBy, category, points }: TriedEntry): string[] {
  if (droppedBy !== undefined) return [`drop   ${title}: ${droppedBy}`];
  const effects = [
    ...(category === undefined ? [] : [`category ${category}`]),
    ...(points === 0 ? [] : [`score ${points > 0 ? '+' : ''}${points}`]),
  ];
  return effects.length > 0 ? [`keep   ${title}: ${effects.join(', ')}`] : [];
}

async function listDropped(given: string, options: PrintOptions): Promise<void> {
  const entries = await withDatabase(async (db) => droppedEntries(db, (await findSource(db, given)).id));
  print(options, entries, () => {
    if (entries.length === 0) return 'Its rules have dropped nothing.';
    return entries
      .map(({ title, rule, discovered_at }) => `${discovered_at.toISOString()}  ${title}: ${rule}`)
      .join('\n');
  });
}

function shownSource(source: Source, counts: Awaited<ReturnType<typeof sourceCounts>>) {
  const count = counts.find(({ source_id }) => source_id === source.id);
  return { ...sourceMembers(source), new_in_24_h: count?.day ?? 0, pending: count?.pending ?? 0 };
}

type ShownSource = ReturnType<typeof shownSource>;

async function list(options: PrintOptions): Promise<void> {
  const sources = await withDatabase(async (db) => {
    const counts = await sourceCounts(db, new Date());
    return (await listSources(db)).map((source) => shownSource(source, counts));
  });
  print(options, sources, () => {
    if (sources.length === 0) return 'There are no sources. Add one with `newsroom sources add URL`.';
    return sources.flatMap(sourceLines).join('\n');
  });
}

function sourceLines(source: ShownSource): string[] {
  const { id, name, url, state, failing_since, last_error, last_success_at, new_in_24_h } = source;
  const failing = failing_since === null ? '' : `, failing since ${failing_since.toISOString()}`;
  const read = last_success_at === null ? 'not read yet' : `read ${last_success_at.toISOString()}`;
  return [
    `${id}  ${name}  ${url}`,
    `    ${state}, ${read}, ${new_in_24_h} new in 24 h${failing}`,
    ...(last_error === null ? [] : [`    ${last_error}`]),
    ...source.stopped_rules.map(({ rule, reason }) => `    rule switched off: ${rule}: ${reason}`),
    ...shortfalls(source).map((line) => `    ${line}`),
  ];
}

/** Explains, in lines, why entries of a feed are missing. */
function shortfalls({
  unusable_entries: unusable,
  unread_entries: unread,
  repeated_entries: repeated,
  left_out: leftOut,
  empty_reads: empty,
  unmatched_pages: unmatched,
}: ShownSource): string[] {
  const entries = (count: number) => `${count} ${count === 1 ? 'entry' : 'entries'} of its feed`;
  return [
    ...(unusable > 0 ? [`${entries(unusable)} without an address, or with neither title nor text`] : []),
    ...(unread > 0
      ? [`${entries(unread)} not read, because it has more than ${MAX_ENTRIES}: the oldest`]
      : []),
    ...(repeated > 0 ? [`${entries(repeated)} repeated in everything, and read once`] : []),
    ...leftOut.map(({ title, reason }) => `left out: ${title}: ${reason}`),
    ...(unmatched > 0 ? [`no text where its selector says on the last ${unmatched} pages`] : []),
    ...(empty >= 3 ? [`0 entries in the last ${empty} reads`] : []),
  ];
}

async function show(given: string, options: PrintOptions): Promise<void> {
  const shown = await withDatabase(async (db) => {
    const source = await findSource(db, given);
    const refused = await refusedEntries(db, source.id);
    return { ...shownSource(source, await sourceCounts(db, new Date())), refused };
  });
  print(options, shown, ({ refused, ...members }) =>
    [
      ...Object.entries(members).map(([name, value]) => {
        const text = value instanceof Date ? value.toISOString() : value === null ? '-' : textOf(value);
        return `${name.replaceAll('_', ' ').padEnd(17)} ${text || '-'}`;
      }),
      ...refused.map(({ title, reason }) => `refused           ${title}: ${reason}`),
    ].join('\n'),
  );
}

function textOf(value: unknown): string {
  return Array.isArray(value) && value.some((one) => typeof one === 'object')
    ? value.map((one) => JSON.stringify(one)).join(', ')
    : String(value);
}

async function importOpml(file: string, options: PrintOptions): Promise<void> {
  const reader = new Reader();
  const { added, known, ...rest } = await reader
    .read(file, 'opml', readTextFile(file))
    .then((feeds) =>
      withNewsroom((db, vocabulary) => addListed(db, feeds, { vocabulary, reader, now: new Date() })),
    )
    .finally(() => reader.close());
  const refused = rest.refused.map(({ url, reason }) => `${url}: ${reason}`);
  print(options, { added, known, refused }, () =>
    [`${added} added, ${known} already there, ${refused.length} refused`, ...refused].join('\n'),
  );
  if (refused.length > 0) process.exitCode = 1;
}

function settingsOf(options: SettingOptions, vocabulary: Vocabulary): SourceSettings {
  const { direction, url: _url, try: _try, json: _json, rule, page, ...rest } = options;
  const directions = direction?.split(',').map((name) => name.trim());
  const settings = {
    ...rest,
    ...(directions && { directions: directions.filter((name) => name !== '') }),
    ...(rule && { rules: rule.filter((text) => text !== '') }),
    ...(page !== undefined && { page: page === true ? FOUND : page }),
  };
  checkSettings(settings, vocabulary);
  const fault = patternFaults(settings.rules ?? []).find((message) => message !== null);
  if (fault !== undefined) throw new Failure('invalid', fault);
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

const { NEWS_PRIVATE_HOSTS, NEWS_PROXIES } = workerSettings;

/** Reads a source once, with the limits of the worker. Throws as {@link trySource}. */
async function tryOnce(db: Kysely<NewsTables>, address: string, settings: TrySettings): Promise<TriedSource> {
  const { NEWS_PRIVATE_HOSTS: privateHosts, NEWS_PROXIES: proxies } = readConfig(
    { NEWS_PRIVATE_HOSTS, NEWS_PROXIES },
    process.env,
  );
  const fetcher = new WebFetcher({
    ...FETCH_LIMITS,
    privateHosts,
    ...(proxies && { proxies }),
    inSlot: sharedSlots(db),
  });
  const reader = new Reader();
  const { fetch } = fetcher;
  const pages = new WebPageReader(fetch, reader, sharedTurns(db));
  const { crawlPolicy } = pages;
  const { signal } = new AbortController();
  try {
    return await trySource({ fetch, reader, pages, crawlPolicy }, address, settings, signal);
  } finally {
    await reader.close();
    await fetcher.close();
  }
}

function foundLines({ entries, leadsTo, firstPage }: TriedSource): string[] {
  return [
    ...leadsTo.map((url) => `it leads to ${url}`),
    ...entries.map(({ publishedAt, title, url }) => {
      return `${publishedAt?.toISOString() ?? 'without a date'.padEnd(24)}  ${title}\n    ${url}`;
    }),
    ...(leadsTo.length > 0 ? [] : [`${entries.length} entries were found`]),
    ...(firstPage === undefined ? [] : [`text of the first: ${firstPage.text ?? noText(firstPage)}`]),
  ];
}

function noText({ isRead }: { isRead: boolean }): string {
  return isRead ? 'none was found' : 'its page cannot be read';
}
