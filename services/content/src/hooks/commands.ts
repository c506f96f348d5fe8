import type { Command } from 'commander';
import type { Kysely } from 'kysely';
import { readCount, readTime } from '../cli/keys.ts';
import type { ContentTables } from '../tables.ts';
import { readEvents } from './event.ts';
import {
  addHook,
  hooksBox,
  listHooks,
  logHook,
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
