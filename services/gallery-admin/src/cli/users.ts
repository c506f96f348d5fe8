import { Argument, type Command, Option } from 'commander';
import type { Kysely } from 'kysely';
import { readWaysIn } from '../config.ts';
import { personInput } from '../people/people.ts';
import { INVITED_HOURS, type ListedPerson, PeopleStore, ROLES, type Role } from '../people/people-store.ts';
import type { GalleryTables } from '../tables.ts';

/** Adds the commands for who has the database rather than a login, such as the first owner. */
export function addUserCommands(
  program: Command,
  withGallery: (work: (db: Kysely<GalleryTables>) => Promise<void>) => Promise<void>,
): void {
  const users = program.command('users').description('the people of the desk');
  // Whoever runs commands can always invite another owner.
  const withPeople = (work: (people: PeopleStore) => Promise<void>) =>
    withGallery((db) => work(new PeopleStore(db, true, readWaysIn(process.env))));
  const change = (email: string, work: (people: PeopleStore, person: ListedPerson) => Promise<void>) =>
    withPeople(async (people) => work(people, await personWith(people, email)));

  users
    .command('list')
    .description('list them')
    .action(() =>
      withPeople(async (people) => {
        for (const person of await people.list()) console.log(lineOf(person));
      }),
    );
  users
    .command('invite')
    .description('add somebody, and print the link with which they choose a password')
    .argument('<email>')
    .argument('<name>')
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).default('writer'))
    .action((email: string, name: string, { role }: { role: Role }) =>
      withPeople(async (people) => {
        const given = personInput.safeParse({ email, name, role });
        if (!given.success) throw new Error(given.error.issues.map(({ message }) => `${message}`).join('; '));
        printLink(await people.invite(await people.add(given.data)));
      }),
    );
  users
    .command('link')
    .description('print a new link, such as for a forgotten password; the one before ends')
    .argument('<email>')
    .action((email: string) => change(email, async (people, { id }) => printLink(await people.invite(id))));
  users
    .command('role')
    .description('give somebody another role, which ends their sessions')
    .argument('<email>')
    .addArgument(new Argument('<role>').choices(ROLES))
    .action((email: string, role: Role) => change(email, (people, { id }) => people.change(id, { role })));
  users
    .command('remove-factors')
    .description('remove all that somebody logs in with besides a password, such as after a lost phone')
    .argument('<email>')
    .action((email: string) => change(email, (people, { id }) => people.removeFactors(id)));
  users
    .command('remove')
    .description('remove somebody; what they did keeps their name')
    .argument('<email>')
    .action((email: string) => change(email, (people, { id }) => people.remove(id)));
}

async function personWith(people: PeopleStore, email: string): Promise<ListedPerson> {
  const person = (await people.list()).find((one) => one.email === email.toLowerCase());
  if (person === undefined) throw new Error(`nobody has the e-mail address ${email}`);
  return person;
}

function lineOf({ email, name, role, active, can_log_in, invited_until, ...has }: ListedPerson): string {
  const invited =
    invited_until === null ? 'invitation ended' : `invited until ${invited_until.toISOString()}`;
  const state = active ? (can_log_in ? 'active' : invited) : 'switched off';
  const factors = [...(has.passkeys > 0 ? ['passkey'] : []), ...(has.has_totp ? ['app'] : [])];
  return [email, name, role, state, ...factors].join('\t');
}

function printLink({ token }: { token: string }): void {
  console.log(`At the address of the desk, valid once and for ${INVITED_HOURS} hours:`);
  console.log(`/desk/invitation#${token}`);
}
