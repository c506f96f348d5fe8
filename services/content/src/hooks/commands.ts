import { setTimeout as delay } from 'node:timers/promises';
import { noteOfStart } from '@pressroom/common/database/database-url';
import { Failure } from '@pressroom/common/failures/failure';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import type { Environment } from '@pressroom/common/start/config';
import type { Command } from 'commander';
import type { Kysely } from 'kysely';
import { readCount, readTime } from '../cli/keys.ts';
import { readHooksKeys } from '../config.ts';
import type { ContentTables } from '../tables.ts';
import {
  HookStore,
  type ListedHook,
  type LoggedAttempt,
  type NewHook,
  ROTATION_HOURS,
  readEvents,
} from './store.ts';

/** Runs work with the database of a command. */
type WithContent = (work: (db: Kysely<ContentTables>) => Promise<void>) => Promise<void>;

/** Adds the commands that manage hooks (`docs/hooks.md`). */
export function addHookCommands(program: Command, withContent: WithContent): void {
  const hooks = program.command('hooks').description('manage the programs that events are delivered to');
  const withHooks = (work: (hooks: HookStore) => Promise<void>) =>
    withContent((db) => work(new HookStore(db)));
  const ofHook = (name: string, description: string) =>
    hooks
      .command(name)
      .description(description)
      .argument('<hook>', 'its id', (id) => readCount(id, 'the id of a hook; see `content hooks list`'));
  hooks
    .command('add')
    .description('deliver events to a URL, and print the secret that signs them; it is shown only once')
    .argument('<url>', 'where they are posted')
    .requiredOption('--events <events>', "such as 'article.*' or article.published,category.updated")
    .option('--category <id>', 'only events of this category and its articles')
    .option('--drafts', 'also events about what no reader sees, with id and type alone')
    .action(async (url, { events, category, drafts = false }) => {
      const hook = {
        url: readUrl(url),
        events: readEvents(events),
        categoryId: category === undefined ? null : readCount(category, 'the id of a category'),
        drafts,
      };
      const box = hooksBox(process.env);
      await withHooks((store) => addHook(store, hook, box));
    });
  hooks
    .command('list')
    .description('list the hooks, and whether events reach them')
    .action(() => withHooks(listHooks));
  ofHook('test', 'have the service send an event of the type hook.test, and print what became of it').action(
    (hook) => withHooks((store) => testHook(store, hook)),
  );
  ofHook('log', 'list the latest attempts, newest first').action((hook) =>
    withHooks((store) => logHook(store, hook, 50)),
  );
  ofHook('replay', 'deliver again what has happened since then, up to 30 days ago')
    .requiredOption('--since <date>', 'such as 2027-01-31 or 2027-01-31T18:00:00Z')
    .action(async (hook, { since }) => {
      const from = readTime(since);
      await withHooks((store) => replayHook(store, hook, from));
    });
  ofHook('pause', 'deliver nothing for now; events wait for up to 30 days').action((hook) =>
    withHooks((store) => store.pause(hook)),
  );
  ofHook('resume', 'deliver what waits, at once').action((hook) => withHooks((store) => store.resume(hook)));
  ofHook('rotate', 'make another secret and print it; the one before it signs too for a day').action(
    async (hook) => {
      const box = hooksBox(process.env);
      await withHooks((store) => rotateHook(store, hook, box));
    },
  );
  ofHook('remove', 'remove a hook with what waits for it').action((hook) =>
    withHooks((store) => store.remove(hook)),
  );
}

/** Longest wait of a test for its delivery, in ms. */
const TEST_MS = 30_000;

/** The most characters of an address, escaped as it is kept. */
const MOST_URL = 2000;

/** Pause between two looks for it, in ms. */
const LOOK_MS = 200;

/**
 * Encrypts the secrets of hooks, with the key of the environment or the one that `pnpm start` has made.
 *
 * @throws Failure `refused` if there is none
 */
function hooksBox(env: Environment): SecretBox {
  const made = env.DATABASE_URL ? undefined : noteOfStart(env, 'content-hooks-key');
  const given = env.CONTENT_HOOKS_KEY || env.CONTENT_HOOKS_KEY_FILE;
  const { CONTENT_HOOKS_KEY: key } = readHooksKeys(given ? env : { ...env, CONTENT_HOOKS_KEY: made });
  if (key !== undefined) return new SecretBox(key);
  throw new Failure(
    'refused',
    'CONTENT_HOOKS_KEY is not set: give this command and the service the same, made by `openssl rand -base64 32`',
  );
}

/**
 * Parses the address of a hook.
 *
 * @throws Failure `refused` unless it is an http or https URL of at most 2000 characters without user name
 * and password
 */
export function readUrl(value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > MOST_URL) {
    throw new Failure('refused', `"${value}" is not an http or https URL of at most ${MOST_URL} characters`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Failure('refused', 'the URL must not contain a user name or password');
  }
  return url.href;
}

/** Adds a hook and prints its secret alone on a line, so that it can be captured. */
async function addHook(hooks: HookStore, hook: NewHook, box: SecretBox): Promise<void> {
  const { id, secret } = await hooks.add(hook, box);
  console.error(`Hook ${id}. Its secret, which will not be shown again:`);
  console.log(secret);
}

/** Gives a hook another secret and prints that. */
async function rotateHook(hooks: HookStore, id: number, box: SecretBox): Promise<void> {
  const secret = await hooks.rotate(id, box);
  console.error(`The one before it signs too for ${ROTATION_HOURS} hours. The new secret of hook ${id}:`);
  console.log(secret);
}

async function listHooks(hooks: HookStore): Promise<void> {
  const rows = await hooks.list();
  if (rows.length === 0) return console.log('There are no hooks yet. Add one with `content hooks add URL`.');
  console.table(
    rows.map((hook) => ({
      id: hook.id,
      url: hook.url,
      events: hook.events.join(','),
      category: hook.category_id ?? '',
      drafts: hook.drafts,
      state: stateOf(hook),
      waiting: hook.waiting,
    })),
  );
}

function stateOf({ paused_at, pause_reason, failures, resume_at }: ListedHook): string {
  if (paused_at !== null) return `paused ${paused_at.toISOString()}: ${pause_reason}`;
  return failures === 0 ? 'active' : `failed ${failures} times, next at ${resume_at?.toISOString() ?? ''}`;
}

/** Prints the latest attempts, newest first. */
async function logHook(hooks: HookStore, id: number, most: number): Promise<void> {
  const attempts = await hooks.log(id, most);
  if (attempts.length === 0) return console.log(`Nothing was sent to hook ${id} in the last 30 days.`);
  console.table(
    attempts.map((attempt) => ({
      time: attempt.ended_at.toISOString(),
      event: attempt.type,
      about: attempt.subject,
      outcome: outcomeOf(attempt),
      ms: attempt.duration_ms,
      answer: attempt.answer.slice(0, 60),
    })),
  );
}

function outcomeOf({ status, fault }: LoggedAttempt): string {
  return fault ?? `delivered (${status})`;
}

/**
 * Has the service send a test event, and prints its outcome.
 *
 * @throws Failure `refused` if it has failed, or if no service delivers
 */
async function testHook(hooks: HookStore, id: number): Promise<void> {
  const event = await hooks.test(id);
  const end = performance.now() + TEST_MS;
  while (performance.now() < end) {
    const attempt = (await hooks.log(id, 100)).find(({ event_id }) => event_id === event);
    if (attempt?.fault)
      throw new Failure('refused', `${attempt.fault}${attempt.answer && `: ${attempt.answer}`}`);
    if (attempt !== undefined) return console.log(`${outcomeOf(attempt)} in ${attempt.duration_ms} ms`);
    await delay(LOOK_MS);
  }
  throw new Failure(
    'refused',
    `no content service has sent it within ${TEST_MS / 1000} s: does one run with CONTENT_HOOKS_KEY?`,
  );
}

/** Delivers again what has happened since a time. */
async function replayHook(hooks: HookStore, id: number, since: Date): Promise<void> {
  console.log(`${await hooks.replay(id, since)} events are delivered to hook ${id} again.`);
}
