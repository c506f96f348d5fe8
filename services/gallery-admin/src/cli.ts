import { withDatabase } from '@pressroom/common/database/database-url';
import { Command, InvalidArgumentError } from 'commander';
import type { Kysely } from 'kysely';
import { type Bucket, environmentBucket, StoreConnections } from './buckets/bucket.ts';
import { resealBuckets } from './buckets/buckets-store.ts';
import { storeFailure } from './buckets/store-errors.ts';
import { createBucket } from './cli/create-bucket.ts';
import { readPassword } from './cli/read-password.ts';
import { addSample } from './cli/sample.ts';
import { scanLocation } from './cli/scan-location.ts';
import { addUserCommands } from './cli/users.ts';
import { readSettingsKeys, readStoreConfig } from './config.ts';
import { resealCodes } from './session/codes.ts';
import { formatPasswordHash, hashPassword } from './session/password.ts';
import { resealMail } from './settings.ts';
import type { GalleryTables } from './tables.ts';
import { Trail } from './trail.ts';

/** Runs `work` with the bucket of the environment. */
async function withBucket(work: (bucket: Bucket) => Promise<void>): Promise<void> {
  const connections = new StoreConnections();
  try {
    await work(connections.open(environmentBucket(readStoreConfig(process.env))));
  } finally {
    connections.close();
  }
}

/** Runs `work` with the database of this command. */
const withGallery = (work: (db: Kysely<GalleryTables>) => Promise<void>) =>
  withDatabase('pressroom gallery cli', work);

/**
 * Adds an origin as browsers send it (RFC 6454): any other spelling, such as a trailing `/`, would match no
 * page.
 */
function collectOrigins(value: string, earlier: string[]): string[] {
  const origin = /^https?:/.test(value) && URL.canParse(value) ? new URL(value).origin : undefined;
  if (value === '*' || value === origin) return [...earlier, value];
  const meant = origin ?? 'https://www.example.com';
  throw new InvalidArgumentError(`An origin consists of a scheme, a host and a port only, such as ${meant}`);
}

function readLimit(value: string): number {
  if (/^[1-9]\d{0,6}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('A number of entries, from 1 to 9999999.');
}

const program = new Command('gallery').description(
  'People, passwords, buckets, samples and public media of the gallery administration',
);

program
  .command('hash-password')
  .description('read a password and print its hash for ADMIN_PASSWORD_HASH (argon2id)')
  .action(async () => console.log(formatPasswordHash(await hashPassword(await readPassword()))));

const bucket = program.command('bucket').description('the bucket of the environment (S3_BUCKET)');
bucket
  .command('create')
  .description('create the bucket and let browsers upload to it with a CORS rule that exposes ETag')
  .option(
    '--origin <origin>',
    'a site whose pages may upload; may be repeated (default: any)',
    collectOrigins,
    [],
  )
  .option('--quiet', 'print only errors')
  .option('--sample', 'then do what `sample` does')
  .action(({ origin, quiet, sample }) => {
    const print = quiet ? () => undefined : console.log;
    return withBucket(async (bucket) => {
      await createBucket(bucket, origin.length > 0 ? origin : ['*'], print);
      if (sample) await withGallery((db) => addSample(bucket, db));
    });
  });

bucket
  .command('reseal')
  .description(
    'encrypt with SETTINGS_KEY what SETTINGS_KEY_PREVIOUS opens: the keys of saved buckets, the mail server, and the secrets of apps for codes',
  )
  .action(async () => {
    const { SETTINGS_KEY, SETTINGS_KEY_PREVIOUS } = readSettingsKeys(process.env);
    await withGallery(async (db) => {
      const { resealed, kept, unreadable } = await resealBuckets(db, SETTINGS_KEY, SETTINGS_KEY_PREVIOUS);
      console.log(`${resealed.length} saved buckets encrypted again, ${kept.length} already were.`);
      if (!(await resealMail(db, SETTINGS_KEY, SETTINGS_KEY_PREVIOUS))) {
        console.error('Neither key opens the mail server that was set at the desk: set it there again.');
      }
      const codes = await resealCodes(db, SETTINGS_KEY, SETTINGS_KEY_PREVIOUS);
      if (codes.resealed + codes.kept > 0) {
        console.log(`${codes.resealed} secrets of apps encrypted again, ${codes.kept} already were.`);
      }
      if (codes.unreadable > 0) {
        console.error(
          `Neither key opens the secrets of ${codes.unreadable} apps: those people log in with a recovery code, or \`gallery users remove-factors\` removes them.`,
        );
      }
      if (unreadable.length === 0) return;
      throw new Error(
        `Neither key opens the keys of ${unreadable.join(', ')}: set the key that they were saved with as SETTINGS_KEY_PREVIOUS, or enter them again on the gallery's page`,
      );
    });
  });

program
  .command('sample')
  .description('put a few drawn images into an empty bucket, once')
  .action(() => withBucket((bucket) => withGallery((db) => addSample(bucket, db))));

addUserCommands(program, withGallery);

program
  .command('trail')
  .description('show who did what at the desk, the newest first')
  .option('--person <name>', 'a name, or a part of it')
  .option('--action <action>', 'an action, or its beginning, such as person')
  .option('--object <text>', 'part of what it was done to')
  .option('--limit <entries>', 'how many entries at most', '100')
  .option('--json', 'as JSON Lines')
  .action(({ person, action, object, limit, json }) =>
    withGallery(async (db) => {
      const entries = await new Trail(db).read({ person, action, object, limit: readLimit(limit) });
      for (const { id: _, ...entry } of entries) {
        const { at, address, object } = entry;
        const line = [
          at.toISOString(),
          entry.person ?? '',
          entry.action,
          address ?? '',
          JSON.stringify(object),
        ];
        console.log(json === true ? JSON.stringify(entry) : line.join('\t'));
      }
    }),
  );

program
  .command('media')
  .description('serve the files below MEDIA_PUBLIC to anybody, in a separate process')
  .action(async () => {
    // Loaded when it is needed: the other commands would start slower.
    const [{ startOrExplain }, { runMedia }] = await Promise.all([
      import('@pressroom/common/start/run-service'),
      import('./run-media.ts'),
    ]);
    await startOrExplain(runMedia);
  });

program
  .command('scan-location')
  .description('list the pictures of the bucket that say where they were made')
  .argument('[prefix]', 'a folder or the beginning of keys', '')
  .action((prefix: string) => withBucket((bucket) => scanLocation(bucket, prefix, console.log)));

await program.parseAsync().catch((error: unknown) => {
  const fault = storeFailure(error) ?? error;
  console.error(fault instanceof Error ? fault.message : fault);
  process.exitCode = 1;
});
