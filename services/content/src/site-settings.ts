import { CachedValue } from '@pressroom/common/caching/cached-value';
import { writePrecondition } from '@pressroom/common/caching/conditional';
import type { Lease } from '@pressroom/common/caching/representation-cache';
import { invalid } from '@pressroom/common/failures/failure';
import { onOneLine, requiredText, text, webUrl } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { DeskSettings } from '@pressroom/common/start/desk-settings';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { type ContentConfig, contentSettings, MOST_OF_LOGO, SITE_VARIABLES } from './config.ts';
import { type Actor, envelope, success, writtenBy } from './envelope.ts';
import { patternsOf, regexOf, siteAddressOf } from './redirects/computed.ts';
import { lockRedirects, RedirectStore } from './redirects/store.ts';
import { actorOf, logWrite, replyPrivately, writtenHeaders } from './requests.ts';
import { type FormerPattern, PAGE_KINDS, type PageKind, type SiteValues } from './site.ts';
import type { ContentTables } from './tables.ts';

type Member = keyof typeof SITE_VARIABLES;

const MEMBERS = Object.keys(SITE_VARIABLES) as Member[];

type Variable = (typeof SITE_VARIABLES)[Member];

type Config = Pick<ContentConfig, Variable | 'SITE_FIXED'>;

/** The values set at the desk, by member; null for those unset. */
type Made = Record<Member, string | null>;

const NOTHING_MADE = ofEach(() => null);

/** The most patterns of a kind of pages that are kept after another was set. */
const MOST_FORMER = 10;

/** The longest name, description and address, in characters. */
const MOST_OF_NAME = 100;
const MOST_OF_DESCRIPTION = 500;
const MOST_OF_ADDRESS = 500;

/** A member with the rule of its variable, but for its length. */
function likeVariable(variable: Variable, max = MOST_OF_ADDRESS) {
  return text(max).transform((value, context) => {
    const { data, error } = contentSettings[variable].safeParse(value);
    if (error === undefined) return data ?? value;
    const [issue] = error.issues;
    context.addIssue({
      code: 'custom',
      message: `must be ${issue?.message}`,
      params: { code: 'invalid_format' },
    });
    return z.NEVER;
  });
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** True for a tag of a language that is known: `English` has the form of one, too. */
function isOfKnownLanguage(tag: string): boolean {
  return LANGUAGES.of(new Intl.Locale(tag).language) !== undefined;
}

/** With null, the environment's value holds again. */
const siteChange = z
  .strictObject({
    name: onOneLine(requiredText(MOST_OF_NAME)).nullable(),
    description: onOneLine(requiredText(MOST_OF_DESCRIPTION)).nullable(),
    language: likeVariable('SITE_LANGUAGE')
      .refine(isOfKnownLanguage, {
        message: 'must be the tag of a known language, such as en or zh-CN',
        params: { code: 'invalid_format' },
      })
      .nullable(),
    zone: likeVariable('SITE_TIMEZONE').nullable(),
    // However it was typed: others put paths after it.
    url: likeVariable('CONTENT_SITE_URL')
      .transform((url) => new URL(url).href.replace(/\/$/, ''))
      .nullable(),
    logo: webUrl(MOST_OF_LOGO).nullable(),
    article_path: likeVariable('CONTENT_ARTICLE_PATH').nullable(),
    category_path: likeVariable('CONTENT_CATEGORY_PATH').nullable(),
    author_path: likeVariable('CONTENT_AUTHOR_PATH').nullable(),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have at least one member',
    params: { code: 'required' },
  })
  .meta({ minProperties: 1 });

type SiteChange = z.output<typeof siteChange>;

const setting = z
  .object({
    value: z.string().nullable().describe('What holds.'),
    made: z.string().nullable().describe('What was set at the desk.'),
    environment: z.string().nullable().describe('What holds where nothing was set at the desk.'),
    variable: z.string().describe("The environment's name for it."),
    is_fixed: z
      .boolean()
      .describe('True if `SITE_FIXED` names it: the environment holds, and the desk cannot.'),
  })
  .meta({ id: 'SiteSetting' });

type Setting = z.infer<typeof setting>;

const siteAnswer = envelope(
  z
    .object({
      name: setting,
      description: setting,
      language: setting,
      zone: setting,
      url: setting,
      logo: setting,
      article_path: setting,
      category_path: setting,
      author_path: setting,
    })
    .meta({ id: 'SiteSettings', description: 'The settings of the site.' }),
);

interface SiteSettingsParts {
  db: Kysely<ContentTables>;
  readDb: Kysely<ContentTables>;
  config: Config;
  /** While it is current, {@link SiteSettings.forget} is called for every change. */
  lease: Lease;
}

/** The settings of the site: what was set at the desk, before what the environment gives. */
export class SiteSettings {
  readonly #db: Kysely<ContentTables>;
  readonly #rules: DeskSettings<Omit<SiteValues, 'former_patterns'>>;
  readonly #known: CachedValue<SiteValues>;

  constructor({ db, readDb, config, lease }: SiteSettingsParts) {
    this.#db = db;
    this.#known = new CachedValue(lease, () => this.in(readDb));
    this.#rules = new DeskSettings({
      environment: {
        ...ofEach((member) => config[SITE_VARIABLES[member]] ?? null),
        name: config.SITE_NAME,
        article_path: config.CONTENT_ARTICLE_PATH,
        category_path: config.CONTENT_CATEGORY_PATH,
        author_path: config.CONTENT_AUTHOR_PATH,
      },
      variables: SITE_VARIABLES,
      fixed: config.SITE_FIXED,
      fixedBy: 'SITE_FIXED',
    });
  }

  /** The values in effect. Answers made of them change with them on every replica. */
  current(): Promise<SiteValues> {
    return this.#known.current();
  }

  /** The values in effect in a transaction, or in a database at a moment. */
  async in(db: Kysely<ContentTables>): Promise<SiteValues> {
    const made = sql<Made | null>`(select to_jsonb(site) from content.site)`.as('made');
    const found = await db
      .selectNoFrom([made, formerPatterns().as('former_patterns')])
      .executeTakeFirstOrThrow();
    return { ...this.#rules.values(found.made ?? NOTHING_MADE), former_patterns: found.former_patterns };
  }

  /** Something was changed: what was read before does not hold. */
  forget(): void {
    this.#known.drop();
  }

  /** Each setting, and what was set at the desk. */
  async read(): Promise<{ settings: Record<Member, Setting>; own: Made }> {
    const own = await this.#made(this.#db);
    return { settings: this.#shown(own), own };
  }

  /**
   * Changes the members that `change` has, and returns all of them.
   *
   * @throws Failure `invalid` for one that the environment fixes, and whatever `precondition` throws
   */
  async change(
    change: SiteChange,
    actor: Actor,
    precondition?: (own: Made) => void,
  ): Promise<{ settings: Record<Member, Setting>; own: Made }> {
    this.#rules.refuseFixed(change);
    const own = await this.#db.transaction().execute(async (tx) => {
      await sql`select ${writtenBy(actor)}`.execute(tx);
      // As every redirect does: no two writes close a circle together.
      await lockRedirects(tx);
      await tx
        .insertInto('content.site')
        .defaultValues()
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const before = await tx
        .selectFrom('content.site')
        .select(MEMBERS)
        .forUpdate()
        .executeTakeFirstOrThrow();
      precondition?.(before);
      const earlier = await this.in(tx);
      const after = await tx
        .updateTable('content.site')
        .set(change)
        .returning(MEMBERS)
        .executeTakeFirstOrThrow();
      await this.#leadOn(tx, earlier);
      return after;
    });
    return { settings: this.#shown(own), own };
  }

  async #made(db: Kysely<ContentTables>): Promise<Made> {
    return (await db.selectFrom('content.site').select(MEMBERS).executeTakeFirst()) ?? NOTHING_MADE;
  }

  /**
   * Keeps the address patterns that were left, and drops those that hold again.
   *
   * @throws Failure `invalid` if a redirect leads from what the pages would be to where they were
   */
  async #leadOn(tx: Transaction<ContentTables>, before: SiteValues): Promise<void> {
    const after = await this.in(tx);
    // The first address of a site moves no page.
    const sameUrl = before.url === null || after.url === null ? { url: after.url } : {};
    const [left, now] = [patternsOf({ ...before, ...sameUrl }), patternsOf(after)];
    const spelt = (kind: PageKind) => ({ left: siteAddressOf(left[kind]), now: siteAddressOf(now[kind]) });
    const moved = PAGE_KINDS.filter((kind) => spelt(kind).left !== spelt(kind).now);
    if (moved.length === 0) return;
    const addresses = moved.map((kind) => spelt(kind).now);
    const circles = (site: SiteValues) => new RedirectStore(tx, tx, site).circlesFrom(addresses);
    const known = await circles(before);
    for (const kind of moved) {
      const { left, now } = spelt(kind);
      await sql`delete from content.former_pattern
        where page = ${kind} and (pattern in (${left}, ${now}) or id in (
          select id from content.former_pattern where page = ${kind} order by id desc offset ${MOST_FORMER - 1}))`.execute(
        tx,
      );
      await tx.insertInto('content.former_pattern').values({ page: kind, pattern: left }).execute();
    }
    const found = await circles(await this.in(tx));
    const circle = found.find((address) => !known.includes(address));
    if (circle === undefined) return;
    const kind = moved.find((one) => new RegExp(regexOf(spelt(one).now), 'u').test(circle)) ?? 'article';
    throw invalid([
      {
        field: before[`${kind}_path`] === after[`${kind}_path`] ? 'url' : `${kind}_path`,
        code: 'redirect_loop',
        message: `would close a circle: a redirect leads from ${circle} to where its page is now; remove that first`,
      },
    ]);
  }

  #shown(own: Made): Record<Member, Setting> {
    const shown = this.#rules.shown(own);
    return ofEach((member) => {
      const { isFixed: is_fixed, ...setting } = shown[member];
      return { ...setting, is_fixed };
    });
  }
}

function formerPatterns() {
  return sql<FormerPattern[]>`(select coalesce(jsonb_agg(to_jsonb(former) order by id), '[]')
    from content.former_pattern as former)`;
}

function ofEach<Value>(make: (member: Member) => Value): Record<Member, Value> {
  return Object.fromEntries(MEMBERS.map((member) => [member, make(member)])) as Record<Member, Value>;
}

interface SiteParts {
  settings: SiteSettings;
  /** Called after each commit: this replica must not serve anything that it read before. */
  changed: () => void;
}

const TAGS = ['site'];

/** The operations on the settings of the site, for owners at the desk. */
export function siteOperations({ settings, changed }: SiteParts) {
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getSite',
      summary: 'Show the settings of the site: what holds, and whether the desk or the environment says it',
      description: 'For owners at the desk, not for keys.',
      response: { 200: siteAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { settings: value, own } = await settings.read();
        return { value: success('Settings found', value), own };
      }),
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'updateSite',
      summary: 'Change some settings of the site; null is what the environment gives',
      description:
        'Every replica follows at once. 412 if somebody else has changed one since the `ETag` in' +
        ' `If-Match`; 422 for one that `SITE_FIXED` names.',
      body: siteChange,
      responseHeaders: { 200: ['ETag'] },
      response: {
        200: siteAnswer,
        ...problemResponses(400, 401, 403, 412, 413, 415, 422, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const { settings: value, own } = await settings.change(
        request.body,
        actorOf(request),
        writePrecondition(request),
      );
      changed();
      logWrite(request, 'site_updated', {});
      return reply.headers(writtenHeaders(own)).send(success('Settings updated', value));
    },
  });
  return { read, change };
}
