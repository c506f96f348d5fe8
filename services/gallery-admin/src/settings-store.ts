import type { Lease } from '@pressroom/common/caching/representation-cache';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { GalleryConfig, MediaConfig } from './config.ts';
import { PublicPrefixes } from './media/public-prefixes.ts';
import type { MailServer } from './people/mail.ts';
import type { GalleryTables } from './tables.ts';

/** The settings that owners change at the desk, with the variable of each. */
const VARIABLES = { publicFolders: 'MEDIA_PUBLIC', mail: 'SMTP_URL' } as const;

type SettingName = keyof typeof VARIABLES;

/** A mail server as it is set at the desk. */
export interface MailInput {
  /** `smtp://` or `smtps://`, host and perhaps port. */
  server: string;
  user: string | null;
  /** Absent: as it was. */
  password?: string | undefined;
  from: string;
}

/** What is to be changed; null is what the environment gives. */
export interface SettingsChange {
  publicFolders?: string[] | null | undefined;
  mail?: MailInput | null | undefined;
}

/** A mail server without its password. */
interface ShownMail {
  server: string;
  user: string | null;
  from: string;
  hasPassword: boolean;
}

interface Setting<Value> {
  value: Value;
  made: Value | null;
  environment: Value;
  variable: string;
  isFixed: boolean;
}

export interface ShownSettings {
  publicFolders: Setting<string[]>;
  mail: Setting<ShownMail | null>;
}

/** What holds: which part of the bucket is public, or was, and what sends mail. */
interface Values {
  published: PublicPrefixes;
  everPublished: PublicPrefixes;
  mail: MailServer | undefined;
}

/** The row of `gallery.setting` with what was set at the desk. */
const KEY = 'desk-settings';

const stored = z.object({
  publicFolders: z.array(z.string()).nullable(),
  /** Those that were public once: renditions of their pictures go with the pictures. */
  formerFolders: z.array(z.string()),
  mail: z
    .object({
      server: z.string(),
      user: z.string().nullable(),
      from: z.string(),
      /** Sealed. */
      password: z.string().nullable(),
    })
    .nullable(),
});

type Stored = z.infer<typeof stored>;

const NOTHING: Stored = { publicFolders: null, formerFolders: [], mail: null };

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
  readonly #lease: Lease;
  readonly #environment: { publicFolders: string[]; mail: MailServer | undefined };
  readonly #fixed: ReadonlySet<string>;
  #kept: Promise<Values> | undefined;

  constructor({ db, config, box, lease }: SettingsParts) {
    this.#db = db;
    this.#box = box;
    this.#lease = lease;
    const { SMTP_URL: url, SMTP_FROM: from } = config;
    const mail = url === undefined || from === undefined ? undefined : { url, from };
    this.#environment = { publicFolders: config.MEDIA_PUBLIC, mail };
    this.#fixed = new Set(config.GALLERY_FIXED);
  }

  /** What holds now, on every replica from the moment of a change. */
  current(): Promise<Values> {
    if (!this.#lease.isCurrent()) return this.#load();
    if (this.#kept !== undefined) return this.#kept;
    const loading = this.#load();
    this.#kept = loading;
    loading.catch(() => {
      if (this.#kept === loading) this.#kept = undefined;
    });
    return loading;
  }

  /** Something was changed: what was read before does not hold. */
  clear(): void {
    this.#kept = undefined;
  }

  /** Each setting, and what was set at the desk. */
  async read(): Promise<{ settings: ShownSettings; own: object }> {
    const made = await this.#made();
    return { settings: this.#shown(made), own: made };
  }

  /**
   * Changes the settings that `change` has, and returns all of them as they were and are.
   *
   * @throws Failure `invalid` for one that the environment fixes and for a mail server whose password is to be
   *   given again, and whatever `precondition` throws
   */
  async change(
    change: SettingsChange,
    precondition?: (own: object) => void,
  ): Promise<{ before: ShownSettings; settings: ShownSettings; own: object }> {
    const fixed = Object.entries(VARIABLES).filter(
      ([name, variable]) => name in change && this.#fixed.has(variable),
    );
    if (fixed.length > 0)
      throw invalid(
        fixed.map(([field, variable]) => ({
          field,
          code: 'not_allowed',
          message: `is fixed by ${variable} in the environment (GALLERY_FIXED)`,
        })),
      );
    return this.#db.transaction().execute(async (tx) => {
      await tx
        .insertInto('gallery.setting')
        .values({ key: KEY, value: JSON.stringify(NOTHING) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const made = await this.#made(tx, true);
      precondition?.(made);
      const own: Stored = {
        ...this.#folders(change.publicFolders, made),
        mail: this.#mail(change.mail, made),
      };
      await tx
        .updateTable('gallery.setting')
        .set({ value: JSON.stringify(own), updated_at: sql<Date>`clock_timestamp()` })
        .where('key', '=', KEY)
        .execute();
      return { before: this.#shown(made), settings: this.#shown(own), own };
    });
  }

  /**
   * The server that a mail would be sent by, with the kept password where `input` has none.
   *
   * @throws Failure `invalid` as {@link GallerySettings.change}
   */
  async mailServerOf(input: MailInput): Promise<MailServer> {
    const made = await this.#made();
    return this.#opened(this.#mail(input, made));
  }

  #folders(given: readonly string[] | null | undefined, made: Stored) {
    if (given === undefined) return { publicFolders: made.publicFolders, formerFolders: made.formerFolders };
    const left = made.publicFolders ?? this.#environment.publicFolders;
    const formerFolders = [...new Set([...made.formerFolders, ...left])];
    return { publicFolders: given === null ? null : [...new Set(given)], formerFolders };
  }

  /** A password is never sent to another server, or for another user, than those it was given for. */
  #mail(given: MailInput | null | undefined, { mail: kept }: Stored): Stored['mail'] {
    if (given === undefined || given === null) return given === null ? null : kept;
    const { server, user, password, from } = given;
    if (user === null) return { server, user, from, password: null };
    if (password !== undefined) return { server, user, from, password: this.#box.seal(password, KEY) };
    if (kept?.password != null && kept.server === server && kept.user === user)
      return { server, user, from, password: kept.password };
    throw invalid([
      { field: 'mail.password', code: 'required', message: 'must be given with another server or user' },
    ]);
  }

  async #made(db: Kysely<GalleryTables> = this.#db, isLocked = false): Promise<Stored> {
    const query = db.selectFrom('gallery.setting').select('value').where('key', '=', KEY);
    const row = await (isLocked ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? NOTHING : stored.parse(row.value);
  }

  async #load(): Promise<Values> {
    const made = await this.#made();
    const { publicFolders, mail } = this.#values(made);
    return {
      published: new PublicPrefixes(publicFolders),
      everPublished: new PublicPrefixes([...publicFolders, ...made.formerFolders]),
      mail,
    };
  }

  #values({ publicFolders, mail }: Stored) {
    const holds = (name: SettingName, value: unknown) => value !== null && !this.#fixed.has(VARIABLES[name]);
    return {
      publicFolders: holds('publicFolders', publicFolders)
        ? (publicFolders ?? [])
        : this.#environment.publicFolders,
      mail: holds('mail', mail) ? this.#opened(mail) : this.#environment.mail,
    };
  }

  /** Without a password that neither key opens. */
  #opened(mail: Stored['mail']): MailServer {
    if (mail === null) throw new Failure('missing', 'no mail server is set');
    const { server, user, password, from } = mail;
    const url = new URL(server);
    if (user !== null) url.username = encodeURIComponent(user);
    const opened = password === null ? undefined : this.#box.open(password, KEY);
    if (opened !== undefined) url.password = encodeURIComponent(opened);
    return { url: url.href, from };
  }

  #shown(made: Stored): ShownSettings {
    const { publicFolders, mail } = this.#values(made);
    const shown = (name: SettingName) => ({
      variable: VARIABLES[name],
      isFixed: this.#fixed.has(VARIABLES[name]),
    });
    return {
      publicFolders: {
        value: publicFolders,
        made: made.publicFolders,
        environment: this.#environment.publicFolders,
        ...shown('publicFolders'),
      },
      mail: {
        value: shownMail(mail),
        made: made.mail === null ? null : shownMail(this.#opened(made.mail)),
        environment: shownMail(this.#environment.mail),
        ...shown('mail'),
      },
    };
  }
}

/**
 * Encrypts the password of the mail server with `key` if `previous` opens it (32 bytes each). Returns false if
 * neither does.
 */
export async function resealMail(
  db: Kysely<GalleryTables>,
  key: Buffer,
  previous: Buffer | undefined,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('gallery.setting')
      .select('value')
      .where('key', '=', KEY)
      .forUpdate()
      .executeTakeFirst();
    const made = row === undefined ? NOTHING : stored.parse(row.value);
    if (made.mail?.password == null) return true;
    const opened = new SecretBox(key, previous).open(made.mail.password, KEY);
    if (opened === undefined) return false;
    const password = new SecretBox(key).seal(opened, KEY);
    const value = JSON.stringify({ ...made, mail: { ...made.mail, password } } satisfies Stored);
    await tx.updateTable('gallery.setting').set({ value }).where('key', '=', KEY).execute();
    return true;
  });
}

function shownMail(mail: MailServer | undefined): ShownMail | null {
  if (mail === undefined) return null;
  const { protocol, host, username, password } = new URL(mail.url);
  return {
    server: `${protocol}//${host}`,
    user: username === '' ? null : decodeURIComponent(username),
    from: mail.from,
    hasPassword: password !== '',
  };
}
