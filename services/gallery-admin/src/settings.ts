import { CachedValue } from '@pressroom/common/caching/cached-value';
import { writePrecondition, writtenTag } from '@pressroom/common/caching/conditional';
import type { Lease } from '@pressroom/common/caching/representation-cache';
import { invalid } from '@pressroom/common/failures/failure';
import { onOneLine, requiredText } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import {
  changesOf,
  DeskSettings,
  type DeskSettingsShown,
  deskSetting,
} from '@pressroom/common/start/desk-settings';
import type { FastifyRequest } from 'fastify';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { DESK_VARIABLES, type GalleryConfig, type MediaConfig } from './config.ts';
import { isPublicPrefix, PublicPrefixes } from './media/public-prefixes.ts';
import { folderPrefix } from './names.ts';
import { MAIL_FAULTS, type MailServer, mailFault, sendTest } from './people/mail.ts';
import { personEmail } from './people/people.ts';
import { logWrite, problemResponses } from './problems.ts';
import type { GalleryTables } from './tables.ts';

const MOST_FOLDERS = 100;

/** The most folders that are remembered because they were public. */
const MOST_FORMER = 1000;

const folder = requiredText(1024)
  .transform((value) => folderPrefix(value.trim()))
  .refine(isPublicPrefix, 'must be a folder of the bucket, such as public/ or press/2026/');

/** A host's name or IPv4 address, and a port. */
const MAIL_SERVER =
  /^smtps?:\/\/[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$/;

const ADDRESS = z.regexes.email.source.slice(1, -1);

/** An address, or a name of one line with it. */
const MAIL_SENDER = new RegExp(`^(?:[^<>",;:\\x00-\\x1f\\x7f]{1,100}<${ADDRESS}>|${ADDRESS})$`);

const mailSender = z
  .string()
  .max(360, 'must be at most 360 characters long')
  .regex(MAIL_SENDER, 'must be an e-mail address, or a name with one: Island Daily <desk@example.org>')
  .transform((value) => value.replace(/[^<]*$/, (address) => address.toLowerCase()))
  .describe('Whom mail comes from: `desk@example.org`, or `Island Daily <desk@example.org>`.');

const mailInput = z.strictObject({
  server: z
    .string()
    .regex(MAIL_SERVER, 'must be of the form smtp://HOST:PORT or smtps://HOST, without user and password'),
  user: onOneLine(requiredText(200)).nullable(),
  password: onOneLine(requiredText(500))
    .optional()
    .describe('Never shown. Absent: as it was, for the same server and user.'),
  from: mailSender,
});

type MailInput = z.output<typeof mailInput>;

/** With null, the environment's value holds again. */
const settingsChange = z
  .strictObject({
    publicFolders: z.array(folder).max(MOST_FOLDERS, `must be at most ${MOST_FOLDERS} folders`).nullable(),
    mail: mailInput.nullable(),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'must have at least one member')
  .meta({ minProperties: 1 });

type SettingsChange = z.output<typeof settingsChange>;

const setting = <Value extends z.ZodType>(value: Value) => deskSetting(value, 'GALLERY_FIXED');

const shownMail = z
  .object({ server: z.string(), user: z.string().nullable(), from: z.string(), hasPassword: z.boolean() })
  .meta({ id: 'MailServer' });

const settingsAnswer = z.object({
  success: z.literal(true),
  data: z
    .object({ publicFolders: setting(z.array(z.string())), mail: setting(shownMail.nullable()) })
    .meta({ id: 'GallerySettings' }),
});

/** The row of `gallery.setting` with what was set at the desk. */
const KEY = 'desk-settings';

const stored = z.object({
  publicFolders: z.array(z.string()).nullable(),
  /** Those that were public once: renditions of their pictures go with the pictures. */
  formerFolders: z.array(z.string()),
  /** The URL is sealed, with user and password in it. */
  mail: z.object({ url: z.string(), from: z.string() }).nullable(),
});

type Stored = z.infer<typeof stored>;

const NOTHING: Stored = { publicFolders: null, formerFolders: [], mail: null };

interface Values {
  publicFolders: string[];
  mail: MailServer | null;
}

interface SettingsParts {
  db: Kysely<GalleryTables>;
  config: Pick<MediaConfig, 'MEDIA_PUBLIC' | 'GALLERY_FIXED'> &
    Partial<Pick<GalleryConfig, 'SMTP_URL' | 'SMTP_FROM'>>;
  box: SecretBox;
  /** While it is current, {@link GallerySettings.clear} is called for every change. */
  lease: Lease;
}

/** The settings of the gallery: what was set at the desk, before what the environment gives. */
export class GallerySettings {
  readonly #db: Kysely<GalleryTables>;
  readonly #box: SecretBox;
  readonly #rules: DeskSettings<Values>;
  readonly #kept: CachedValue<{
    published: PublicPrefixes;
    everPublished: PublicPrefixes;
    mail: MailServer | null;
  }>;

  constructor({ db, config, box, lease }: SettingsParts) {
    this.#db = db;
    this.#box = box;
    const { MEDIA_PUBLIC: publicFolders, SMTP_URL: url, SMTP_FROM: from, GALLERY_FIXED: fixed } = config;
    const mail = url === undefined || from === undefined ? null : { url, from };
    this.#rules = new DeskSettings({
      ...{ environment: { publicFolders, mail }, variables: DESK_VARIABLES },
      ...{ fixed, fixedBy: 'GALLERY_FIXED' },
    });
    this.#kept = new CachedValue(lease, async () => {
      const own = await readStored(db);
      const { publicFolders: folders, mail } = this.#rules.values(this.#opened(own));
      const everPublished = new PublicPrefixes([...folders, ...own.formerFolders]);
      return { published: new PublicPrefixes(folders), everPublished, mail };
    });
  }

  /** What holds now, on every replica from the moment of a change. */
  current() {
    return this.#kept.current();
  }

  /** Something was changed: what was read before does not hold. */
  clear(): void {
    this.#kept.drop();
  }

  /** Each setting, and what was set at the desk. */
  async read() {
    const own = await readStored(this.#db);
    return { settings: this.#shown(own), own };
  }

  /**
   * Changes the settings that `change` has, and returns all of them as they were and are.
   *
   * @throws Failure `invalid` for one that the environment fixes, and as
   *   {@link GallerySettings.mailServerOf}; whatever `precondition` throws
   */
  async change(change: SettingsChange, precondition?: (own: object) => void) {
    this.#rules.refuseFixed(change);
    const { publicFolders, mail } = change;
    return this.#db.transaction().execute(async (tx) => {
      await tx
        .insertInto('gallery.setting')
        .values({ key: KEY, value: JSON.stringify(NOTHING) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const before = await readStored(tx, true);
      precondition?.(before);
      const held = this.#rules.values(this.#opened(before));
      const former = [...new Set([...before.formerFolders, ...held.publicFolders])].slice(-MOST_FORMER);
      const own: Stored = {
        ...before,
        ...(publicFolders !== undefined && { publicFolders, formerFolders: former }),
        ...(mail !== undefined && { mail: mail && this.#sealed(completed(mail, held.mail)) }),
      };
      await writeStored(tx, own);
      return { before: this.#shown(before), settings: this.#shown(own), own };
    });
  }

  /**
   * The server that `input` would send by, with the password of the one that holds if it has none.
   *
   * @throws Failure `invalid` if that one is another server, or for another user
   */
  async mailServerOf(input: MailInput): Promise<MailServer> {
    return completed(input, (await this.current()).mail);
  }

  /** A mail server whose seal no key opens is as if it had not been set. */
  #opened({ publicFolders, mail }: Stored) {
    const url = mail === null ? undefined : this.#box.open(mail.url, KEY);
    return { publicFolders, mail: mail === null || url === undefined ? null : { ...mail, url } };
  }

  #sealed({ url, from }: MailServer): MailServer {
    return { url: this.#box.seal(url, KEY), from };
  }

  #shown(own: Stored) {
    return withoutPasswords(this.#rules.shown(this.#opened(own)));
  }
}

type Database = Kysely<GalleryTables>;

async function readStored(db: Database, isLocked = false): Promise<Stored> {
  const query = db.selectFrom('gallery.setting').select('value').where('key', '=', KEY);
  const row = await (isLocked ? query.forUpdate() : query).executeTakeFirst();
  return row === undefined ? NOTHING : stored.parse(row.value);
}

async function writeStored(db: Database, own: Stored): Promise<void> {
  await db
    .updateTable('gallery.setting')
    .set({ value: JSON.stringify(own), updated_at: sql<Date>`clock_timestamp()` })
    .where('key', '=', KEY)
    .execute();
}

/** A password is never sent to another server, or for another user, than those it was given for. */
function completed({ server, user, password, from }: MailInput, held: MailServer | null): MailServer {
  const url = new URL(server);
  if (user === null) return { url: url.href, from };
  url.username = encodeURIComponent(user);
  if (password !== undefined) {
    url.password = encodeURIComponent(password);
    return { url: url.href, from };
  }
  const kept = held === null ? null : new URL(held.url);
  if (kept?.protocol !== url.protocol || kept.host !== url.host || kept.username !== url.username)
    throw invalid([
      { field: 'mail.password', code: 'required', message: 'must be given with another server or user' },
    ]);
  url.password = kept.password;
  return { url: url.href, from };
}

function withoutPasswords({ publicFolders, mail }: DeskSettingsShown<Values>) {
  const { value, made, environment, ...rest } = mail;
  const shown = { value: mailShown(value), made: mailShown(made), environment: mailShown(environment) };
  return { publicFolders, mail: { ...shown, ...rest } };
}

function mailShown(mail: MailServer | null) {
  if (mail === null) return null;
  const { protocol, host, username, password } = new URL(mail.url);
  return {
    server: `${protocol}//${host}`,
    user: username === '' ? null : decodeURIComponent(username),
    from: mail.from,
    hasPassword: password !== '',
  };
}

/**
 * Encrypts the mail server that was set at the desk with `key` if `previous` opens it (32 bytes each).
 * Returns false if neither does.
 */
export async function resealMail(db: Database, key: Buffer, previous: Buffer | undefined): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const own = await readStored(tx, true);
    if (own.mail === null) return true;
    const url = new SecretBox(key, previous).open(own.mail.url, KEY);
    if (url === undefined) return false;
    await writeStored(tx, { ...own, mail: { ...own.mail, url: new SecretBox(key).seal(url, KEY) } });
    return true;
  });
}

const testAnswer = z.object({
  success: z.boolean(),
  code: z.enum(MAIL_FAULTS).nullable().describe('What to mend; null if the server has taken the mail.'),
});

const TAGS = ['settings'];

/** The settings of the gallery, for owners: an addition to `docs/spec/gallery-admin.md`. */
export function settingsOperations(settings: GallerySettings) {
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getSettings',
      summary:
        'Show public folders and the mail server: what holds, and whether the desk or the environment says it',
      description: 'The password of the mail server is not shown. The `ETag` is for `If-Match`. For owners.',
      responseHeaders: { 200: ['ETag'] },
      response: { 200: settingsAnswer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async (_request, reply) => {
      const { settings: data, own } = await settings.read();
      return reply.header('etag', writtenTag(own)).send({ success: true as const, data });
    },
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'updateSettings',
      summary: 'Change public folders or the mail server; null is what the environment gives',
      description:
        'Every replica follows at once. 412 if somebody else has changed one since the `ETag` in `If-Match`; 400' +
        ' for one that `GALLERY_FIXED` names.',
      body: settingsChange,
      responseHeaders: { 200: ['ETag'] },
      response: { 200: settingsAnswer, ...problemResponses(400, 401, 403, 412, 413, 415, 503) },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const { before, settings: data, own } = await settings.change(body, writePrecondition(request));
      settings.clear();
      // That a password was given is in the trail, never which.
      const given = body.mail?.password === undefined ? {} : { mailPassword: 'given' };
      logWrite(request, 'settings_changed', { ...changesOf(before, data), ...given });
      return reply.header('etag', writtenTag(own)).send({ success: true as const, data });
    },
  });
  const test = operation({
    schema: {
      tags: TAGS,
      operationId: 'testMail',
      summary: 'Send a test mail by the mail server that holds, or by another before it is saved',
      description: 'Answers with 200 also if the server does not take it: `code` says why.',
      body: z.strictObject({ to: personEmail, mail: mailInput.optional() }),
      response: { 200: testAnswer, ...problemResponses(400, 401, 403, 413, 415, 503) },
    },
    handler: async (request) => {
      const { to, mail } = request.body;
      const by = mail === undefined ? (await settings.current()).mail : await settings.mailServerOf(mail);
      const code = by === null ? ('not_set' as const) : await faultOf(by, to, request);
      logWrite(request, 'mail_tested', { to, code });
      return { success: code === null, code };
    },
  });
  return { read, change, test };
}

async function faultOf(
  by: MailServer,
  to: string,
  { headers, log }: Pick<FastifyRequest, 'headers' | 'log'>,
) {
  try {
    await sendTest(by, to, headers['accept-language']);
    return null;
  } catch (error) {
    log.warn({ err: error }, 'mail_test_failed');
    return mailFault(error);
  }
}
