import { withDatabase } from '@pressroom/common/database/database-url';
import { addLedgerCommands } from '@pressroom/common/ledger/commands';
import { Command } from 'commander';
import { type Kysely, sql } from 'kysely';
import { ApiKeyStore } from './api-keys.ts';
import { readTrail } from './audit.ts';
import {
  createKey,
  expireKey,
  listKeys,
  readCategory,
  readCount,
  readEnd,
  readName,
  readPrefix,
  readScope,
  readTime,
  revokeKey,
} from './cli/keys.ts';
import { mergeBySlug, printTrail, printTrailAsJson, readActor, reindex } from './cli/operating.ts';
import { addSample } from './cli/sample.ts';
import { addHookCommands } from './hooks/commands.ts';
import { addMovingCommands } from './moving/commands.ts';
import type { ContentTables } from './tables.ts';

/** Runs `work` with the database of this command. */
const withContent = (work: (db: Kysely<ContentTables>) => Promise<void>) =>
  withDatabase('pressroom content cli', work);

const program = new Command('content').description(
  'Manage the keys, hooks, imports and samples of the content service',
);

const keys = program.command('keys').description('manage the API keys of writers');
keys
  .command('create')
  .description('make a key and print it; it is shown only once')
  .requiredOption('--name <name>', 'the owner of the key, and the default author of what it writes')
  .option('--expires <date>', 'when it ends, such as 2027-01-31 or 2027-01-31T18:00:00Z')
  .option(
    '--scope <scope>',
    'published (what readers see, for a site), read (drafts too), write (drafts), publish (all articles and categories) or full (everything)',
    'full',
  )
  .option('--category <id>', 'the only category whose articles it may write')
  .action(async ({ name, expires, scope: given, category }) => {
    const scope = readScope(given);
    const purpose = {
      name: readName(name),
      scope,
      category_id: category === undefined ? null : readCategory(category, scope),
      expires_at: expires === undefined ? null : readEnd(expires),
    };
    await withContent((db) => createKey(new ApiKeyStore(db), purpose));
  });
keys
  .command('list')
  .description('list the keys by prefix')
  .action(() => withContent((db) => listKeys(new ApiKeyStore(db))));
keys
  .command('revoke')
  .description('revoke a key; it stops working within 5 s')
  .argument('<key>', 'the 8 characters after pk_, or the whole key')
  .action(async (key) => {
    const prefix = readPrefix(key);
    await withContent((db) => revokeKey(new ApiKeyStore(db), prefix));
  });
keys
  .command('expire')
  .description('set or change when a key expires; this takes effect within 5 s')
  .argument('<key>', 'the 8 characters after pk_, or the whole key')
  .requiredOption('--at <date>', 'when it ends, such as 2027-01-31 or 2027-01-31T18:00:00Z')
  .action(async (key, { at }) => {
    const [prefix, end] = [readPrefix(key), readEnd(at)];
    await withContent((db) => expireKey(new ApiKeyStore(db), prefix, end));
  });

addHookCommands(program, withContent);

for (const noun of ['tag', 'author'] as const) {
  program
    .command(`${noun}s`)
    .description(`merge ${noun}s`)
    .command('merge')
    .description(`give the articles of one ${noun} to another, to which its slug then leads`)
    .argument('<from>', `the slug of the ${noun} that goes`)
    .argument('<into>', `the slug of the ${noun} that stays`)
    .action((from, into) => withContent((db) => mergeBySlug(db, noun, from, into)));
}

addMovingCommands(program, withContent);

program
  .command('audit')
  .description('show who did what, the newest first')
  .option('--since <time>', 'from when on, such as 2027-01-31 or 2027-01-31T18:00:00Z')
  .option(
    '--key <key>',
    'what was done with one key: the 8 characters after pk_, or the whole key; desk:NAME for somebody at the desk',
  )
  .option('--article <id>', 'what was done to one article')
  .option('--limit <entries>', 'how many entries at most', '100')
  .option('--json', 'as JSON Lines')
  .action(async ({ since, key, article, limit, json }) => {
    const query = {
      since: since === undefined ? undefined : readTime(since),
      key: key === undefined ? undefined : readActor(key),
      article: article === undefined ? undefined : readCount(article, 'the id of an article'),
      limit: readCount(limit, 'a number of entries'),
    };
    const print = json === true ? printTrailAsJson : printTrail;
    await withContent(async (db) => print(await readTrail(db, query)));
  });

program
  .command('reindex')
  .description('rebuild the search index of all articles; searches and writes continue')
  .action(() => withContent(reindex));

program
  .command('sample')
  .description('add a few articles to a database that has never had any')
  .option('--media <url>', 'where the pictures of the sample of the gallery are; without it, there are none')
  .action(({ media }) => withContent((db) => addSample(db, media)));

addLedgerCommands(program, {
  of: 'what is published',
  schema: 'content',
  count: sql`select (select count(*) from content.article where is_published)
    + (select count(*) from content.category) + (select count(*) from content.tag)
    + (select count(*) from content.author)`,
  name: 'pressroom content cli',
});

await program.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
