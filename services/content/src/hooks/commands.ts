import type { Command } from 'commander';
import type { Kysely } from 'kysely';
import { readCategoryId, readTime } from '../cli/keys.ts';
import type { ContentTables } from '../tables.ts';
import { readEvents } from './event.ts';
import {
  addHook,
  hooksBox,
  listHooks,
  logHook,
  readHook,
  readUrl,
  replayHook,
  rotateHook,
  testHook,
} from './operating.ts';
import { HookStore } from './store.ts';

/** Runs work with the database of a command. */
type WithContent = (work: (db: Kysely<ContentTables>) => Promise<void>) => Promise<void>;

/** Adds the commands that manage hooks (`docs/hooks.md`). */
export function addHookCommands(program: Command, withContent: WithContent): void {
  const hooks = program.command('hooks').description('manage the programs that events are delivered to');
  const withHooks = (work: (hooks: HookStore) => Promise<void>) =>
    withContent((db) => work(new HookStore(db)));
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
        categoryId: category === undefined ? null : readCategoryId(category),
        drafts,
      };
      const box = hooksBox(process.env);
      await withHooks((store) => addHook(store, hook, box));
    });
  hooks
    .command('list')
    .description('list the hooks, and whether events reach them')
    .action(() => withHooks(listHooks));
  hooks
    .command('test')
    .description('have the service send an event of the type hook.test, and print what became of it')
    .argument('<hook>', 'its id')
    .action(async (hook) => withHooks((store) => testHook(store, readHook(hook))));
  hooks
    .command('log')
    .description('list the latest attempts, newest first')
    .argument('<hook>', 'its id')
    .action(async (hook) => withHooks((store) => logHook(store, readHook(hook), 50)));
  hooks
    .command('replay')
    .description('deliver again what has happened since then, up to 30 days ago')
    .argument('<hook>', 'its id')
    .requiredOption('--since <date>', 'such as 2027-01-31 or 2027-01-31T18:00:00Z')
    .action(async (hook, { since }) => {
      const [id, from] = [readHook(hook), readTime(since)];
      await withHooks((store) => replayHook(store, id, from));
    });
  hooks
    .command('pause')
    .description('deliver nothing for now; events wait for up to 30 days')
    .argument('<hook>', 'its id')
    .action(async (hook) => withHooks((store) => store.pause(readHook(hook))));
  hooks
    .command('resume')
    .description('deliver what waits, at once')
    .argument('<hook>', 'its id')
    .action(async (hook) => withHooks((store) => store.resume(readHook(hook))));
  hooks
    .command('rotate')
    .description('make another secret and print it; the one before it signs too for a day')
    .argument('<hook>', 'its id')
    .action(async (hook) => {
      const [id, box] = [readHook(hook), hooksBox(process.env)];
      await withHooks((store) => rotateHook(store, id, box));
    });
  hooks
    .command('remove')
    .description('remove a hook with what waits for it')
    .argument('<hook>', 'its id')
    .action(async (hook) => withHooks((store) => store.remove(readHook(hook))));
}
