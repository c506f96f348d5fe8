import { Failure } from '@pressroom/common/failures/failure';
import { readConfig } from '@pressroom/common/start/config';
import { ghostEntries } from '@pressroom/moving/ghost';
import { jsonLineEntries, rereadable } from '@pressroom/moving/json-lines';
import { BucketPictures, PictureStore, SavedPictures } from '@pressroom/moving/media';
import { MediaMover } from '@pressroom/moving/pictures';
import type { SourceEntry } from '@pressroom/moving/source-entry';
import { wordpressEntries } from '@pressroom/moving/wordpress/entries';
import { type Command, Option } from 'commander';
import type { Kysely } from 'kysely';
import { readExtraSchema } from '../articles/extra-schema.ts';
import { contentSettings, inspectionRules } from '../config.ts';
import { RedirectStore } from '../redirects/store.ts';
import { Site } from '../site.ts';
import { SiteSettings } from '../site-settings.ts';
import type { ContentTables } from '../tables.ts';
import { exportContent, OutputFile } from './export.ts';
import { sourceSlug } from './import-line.ts';
import { runImport } from './importer.ts';
import { OldAddresses } from './redirects.ts';

/** Runs work with the database of a command. */
type WithContent = (work: (db: Kysely<ContentTables>) => Promise<void>) => Promise<void>;

/** A command reads what it needs once. */
const NEVER = { isCurrent: () => false };

/** The service's settings that an import follows. */
function importSettings() {
  const { CONTENT_HTML, CONTENT_JSON_LD, CONTENT_OVERLAYS, CONTENT_EXTRA_SCHEMA } = contentSettings;
  const html = { CONTENT_HTML, CONTENT_JSON_LD, CONTENT_OVERLAYS };
  const { SITE_NAME, SITE_DESCRIPTION, SITE_LANGUAGE, SITE_LOGO, SITE_FIXED } = contentSettings;
  const { CONTENT_SITE_URL, CONTENT_ARTICLE_PATH } = contentSettings;
  const { CONTENT_CATEGORY_PATH, CONTENT_AUTHOR_PATH } = contentSettings;
  const names = { SITE_NAME, SITE_DESCRIPTION, SITE_LANGUAGE, SITE_LOGO, SITE_FIXED };
  const paths = { CONTENT_ARTICLE_PATH, CONTENT_CATEGORY_PATH, CONTENT_AUTHOR_PATH };
  const site = { CONTENT_SITE_URL, ...paths, ...names };
  return readConfig({ ...html, ...site, CONTENT_EXTRA_SCHEMA }, process.env);
}

/** The options of every import, and those of one. Those that both have end up with the outer command. */
interface Given {
  author?: string;
  truncate?: true;
  clean?: true;
  short?: true;
  dryRun?: true;
  redirects?: string[];
  media?: true | string;
  mediaBase?: string;
  mediaPrivate?: string[];
  exact?: true;
  ignore?: string;
  site?: string;
}

/** Adds the commands by which articles move in and out (`docs/moving.md`). */
export function addMovingCommands(program: Command, withContent: WithContent): void {
  const importing = program
    .command('import')
    .description('import articles, categories and tags from a JSON Lines file')
    .argument('<file>', 'the file, or - for standard input');
  everyImport(importing)
    .option('--ignore <members>', 'other members that the file has, separated by commas; they are left out')
    .option('--exact', 'restore an export: keep ids, and take articles as they are')
    .action((file: string, given: Given) =>
      withContent(async (db) => run(db, await linesIn(file, given), given)),
    );
  everyImport(importing.command('wordpress'))
    .description('import the articles of an export of WordPress (WXR)')
    .argument('<file>', 'the XML file')
    .action((file: string, _: Given, command: Command) => {
      const given = command.optsWithGlobals<Given>();
      return withContent((db) =>
        run(db, () => wordpressEntries(file, { clean: given.clean === true, slugOf: sourceSlug }), given),
      );
    });
  everyImport(importing.command('ghost'))
    .description('import the articles of an export of Ghost')
    .argument('<file>', 'the JSON file')
    .option('--site <url>', 'the address that the site had, which the export leaves out')
    .action((file: string, _: Given, command: Command) => {
      const given = command.optsWithGlobals<Given>();
      return withContent((db) =>
        run(db, () => ghostEntries(file, { site: siteOf(given.site), slugOf: sourceSlug }), given),
      );
    });

  program
    .command('export')
    .description('write all articles, categories and tags as JSON Lines')
    .argument('[file]', 'the file, or - for standard output', '-')
    .option('--media <folder>', 'write the pictures that articles show from the bucket into a folder, too')
    .option('--media-base <url>', 'the public address of the bucket')
    .action((file: string, given: Given) => withContent((db) => exportTo(db, file, given)));
}

function everyImport(command: Command): Command {
  return command
    .option('--author <name>', 'the author of articles that name none')
    .option('--truncate', 'shorten what is too long, such as titles, excerpts and names, between words')
    .option('--clean', 'remove HTML that is not allowed, rather than refuse its article')
    .option('--short', 'take articles with less text than the API accepts, such as pictures alone')
    .option('--dry-run', 'tell what would be refused and why, and write nothing')
    .addOption(
      new Option(
        '--redirects [file]',
        'have old addresses lead to the articles, and write that as JSON (.json) or for nginx; may be given twice',
      )
        .preset('')
        .argParser((file: string, others: string[] = []) => [...others, file]),
    )
    .option('--media', 'bring the pictures of articles into the bucket that S3_BUCKET names')
    .option('--media-base <url>', 'the public address of that bucket')
    .option(
      '--media-private <host>',
      'a host of pictures whose address is not public; may be given more than once',
      (host: string, others: string[] = []) => [...others, host],
    );
}

/** The entries of JSON Lines, which are read twice unless an export is restored. */
async function linesIn(file: string, { ignore, exact }: Given): Promise<() => AsyncIterable<SourceEntry>> {
  const named = exact ? file : await rereadable(file);
  return () => jsonLineEntries(named, ignore?.split(',') ?? []);
}

async function run(
  db: Kysely<ContentTables>,
  read: () => AsyncIterable<SourceEntry>,
  given: Given,
): Promise<void> {
  const config = importSettings();
  const values = await new SiteSettings({ db, readDb: db, config, lease: NEVER }).current();
  const site = Site.of(values);
  if (given.redirects !== undefined && site === undefined)
    throw new Failure(
      'misconfigured',
      '--redirects needs the address of the site: set it at the desk, or as CONTENT_SITE_URL',
    );
  const oldAddresses =
    site === undefined || given.redirects === undefined || given.dryRun
      ? undefined
      : new OldAddresses(db, site, new RedirectStore(db, db, values), given.redirects.filter(Boolean));
  const options = {
    author: given.author,
    truncate: given.truncate === true,
    clean: given.clean === true,
    short: given.short === true,
    dryRun: given.dryRun === true,
    exact: given.exact === true,
    unchecked: given.exact === true,
    rules: inspectionRules(config),
    extraSchema: await readExtraSchema(config.CONTENT_EXTRA_SCHEMA),
    media: given.media
      ? new MediaMover(new BucketPictures(storeOf(given), given.mediaPrivate ?? []))
      : undefined,
  };
  process.exitCode = await runImport(db, read, options, oldAddresses);
}

function storeOf({ mediaBase }: Given): PictureStore {
  if (mediaBase === undefined || !/^https?:$/.test(URL.parse(mediaBase)?.protocol ?? ''))
    throw new Failure('refused', '--media needs --media-base, the public address of the bucket');
  return new PictureStore(mediaBase);
}

/** An address without a slash at its end. */
function siteOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url.replace(/\/+$/, '');
  throw new Failure('refused', '--site is not an address such as https://news.example');
}

async function exportTo(db: Kysely<ContentTables>, file: string, given: Given): Promise<void> {
  const folder = typeof given.media === 'string' ? given.media : undefined;
  const store = folder === undefined ? undefined : storeOf(given);
  const pictures = store && folder ? new SavedPictures(store, folder) : undefined;
  const out = new OutputFile(file);
  const lines = await exportContent(db, out, (line) => pictures?.save(line));
  await out.close();
  store?.close();
  console.error(`${lines} lines${pictures ? `, ${pictures.saved} pictures` : ''}`);
  if (pictures?.isWhole === false) process.exitCode = 1;
}
