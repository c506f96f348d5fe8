import { type RawBuilder, sql } from 'kysely';
import { type FormerPattern, PAGE_KINDS, type PageKind, type SiteValues } from '../site.ts';
import { siteAddress } from './addresses.ts';

/** The addresses of pages of a kind, by the slugs that they have or had. */
interface Addresses {
  kind: PageKind;
  /** A path of the site with `{id}` and `{slug}`, in the one spelling of addresses. */
  pattern: string;
  slugs: 'own' | 'former';
}

/** Addresses that lead to where the pages are now: of former slugs, and of former patterns. */
export interface Lead extends Addresses {
  /** The pattern that holds now, as it was typed. */
  now: string;
  /** Finds the slug in an address, or the id if it has none. */
  names: RegExp;
  /** With the page it makes the id of the redirect; undefined where that of the former slug is one. */
  number: number | undefined;
  /** Of these, an address that is both is not led anywhere by this. */
  yieldsTo: readonly Addresses[];
}

/** Beyond any id: what the numbers of leads are multiplied by. */
const IDS = 2 ** 31;

/** The path of the site itself, without a slash at its end. */
export function rootOf({ url }: SiteValues): string {
  return url === null ? '' : new URL(url).pathname.replace(/\/$/, '');
}

/** Returns the path of the pages of each kind on the site, with `{id}` and `{slug}`. */
export function patternsOf(site: SiteValues): Record<PageKind, string> {
  const entries = PAGE_KINDS.map((kind) => [kind, rootOf(site) + site[`${kind}_path`]]);
  return Object.fromEntries(entries) as Record<PageKind, string>;
}

/** The one spelling of the addresses of a kind. */
export function siteAddressOf(pattern: string): string {
  const address = siteAddress(pattern.replaceAll(/\{(\w+)\}/g, '!$1!')) ?? pattern;
  return address.replaceAll(/!(\w+)!/g, '{$1}');
}

/** The leads of the site, former patterns from the newest. */
export function leadsOf(
  patterns: Readonly<Record<PageKind, string>>,
  former: readonly FormerPattern[],
): Lead[] {
  const current = PAGE_KINDS.map((kind) => ({ kind, pattern: siteAddressOf(patterns[kind]) }));
  const own = current.map((one): Addresses => ({ ...one, slugs: 'own' }));
  const leads = current
    .filter(({ pattern }) => pattern.includes('{slug}'))
    .map((one) => leadOf({ ...one, slugs: 'former' }, patterns, undefined, []));
  for (const { id, page: kind, pattern } of former.toSorted((one, other) => other.id - one.id)) {
    if (current.some((one) => one.kind === kind && one.pattern === pattern)) continue;
    const byOwn: Addresses = { kind, pattern, slugs: 'own' };
    leads.push(leadOf(byOwn, patterns, 2 * id, [...own, ...leads]));
    if (!pattern.includes('{slug}')) continue;
    leads.push(leadOf({ ...byOwn, slugs: 'former' }, patterns, 2 * id + 1, [...own, ...leads]));
  }
  return leads;
}

function leadOf(
  addresses: Addresses,
  patterns: Readonly<Record<PageKind, string>>,
  number: number | undefined,
  before: readonly Addresses[],
): Lead {
  const { kind, pattern } = addresses;
  const yieldsTo = before.filter((other) => mayMeet(other.pattern, pattern));
  return { ...addresses, now: patterns[kind], names: new RegExp(regexOf(pattern), 'u'), number, yieldsTo };
}

/** True if an address may be of both patterns. */
function mayMeet(one: string, other: string): boolean {
  const [parts, others] = [one.split('/'), other.split('/')];
  if (parts.length !== others.length) return false;
  return parts.every((part, at) => {
    const against = others[at] ?? '';
    if (!against.includes('{')) return new RegExp(regexOf(part), 'u').test(against);
    return part.includes('{') || new RegExp(regexOf(against), 'u').test(part);
  });
}

/** A pattern as a regular expression of JavaScript and PostgreSQL; its group is the slug, or else the id. */
export function regexOf(pattern: string): string {
  const named = pattern.includes('{slug}') ? '{slug}' : '{id}';
  let isNamed = false;
  const parts = pattern.split(/(\{slug\}|\{id\})/).map((part) => {
    if (part !== '{slug}' && part !== '{id}') return part.replaceAll(/[^\w/-]/gu, '[$&]');
    const set = part === '{slug}' ? '[a-z0-9-]+' : '[0-9]{1,10}';
    if (part !== named || isNamed) return set;
    isNamed = true;
    return `(${set})`;
  });
  return `^${parts.join('')}$`;
}

/** The redirects of a lead for which `condition` holds, but where a person or an import made another. */
export function redirectsOf(lead: Lead, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const { number, yieldsTo } = lead;
  const id = number === undefined ? keyOf(lead) : sql`-(${sql.lit(number * IDS)} + ${keyOf(lead)})`;
  const address = from(lead);
  const others = yieldsTo.map((other) => sql`and not ${isAddressOf(other, address)}`);
  return sql`
    select ${id} as id, ${address} as "from", ${to(lead)} as "to", 301 as status,
      ${sql.lit(number === undefined ? 'slug' : 'pattern')} as source, null::timestamptz as updated_at
    from ${pagesOf(lead, 'one')} and ${condition}
      and not exists (select from content.redirect where from_address = ${address})
      ${sql.join(others, sql` `)}`;
}

/** The first redirects of a lead after that with the id `before`, in the order of ids from the highest. */
export function firstRedirectsOf(
  lead: Lead,
  { condition, before, limit }: { condition: RawBuilder<unknown>; before: number | undefined; limit: number },
): RawBuilder<unknown> | undefined {
  const [key, number] = [keyOf(lead), lead.number];
  if (number === undefined) {
    const isAfter = before === undefined ? sql`true` : sql`${key} < ${before}::bigint`;
    return sql`${redirectsOf(lead, sql`${isAfter} and ${condition}`)} order by ${key} desc limit ${limit}`;
  }
  const [lastNumber, last] =
    before === undefined || before >= 0 ? [0, 0] : [Math.floor(-before / IDS), -before % IDS];
  if (number < lastNumber) return undefined;
  const isAfter = number === lastNumber ? sql`${key} > ${last}::bigint` : sql`true`;
  return sql`${redirectsOf(lead, sql`${isAfter} and ${condition}`)} order by ${key} limit ${limit}`;
}

/** True for the redirect of a lead from one of these addresses; undefined if it has none. */
export function isFromOneOf(lead: Lead, addresses: readonly string[]): RawBuilder<unknown> | undefined {
  const names = addresses.flatMap((address) => lead.names.exec(address)?.[1] ?? []);
  if (names.length === 0) return undefined;
  const isNamed = lead.pattern.includes('{slug}')
    ? sql`${slugOf(lead, 'one')} = any(${names}::text[])`
    : sql`one.id = any(${names}::bigint[])`;
  return sql`${isNamed} and ${from(lead)} = any(${addresses}::text[])`;
}

/** The pages of a kind at these addresses of its form, also drafts, and whether readers find them. */
export function pagesAt(kind: PageKind, pattern: string, addresses: readonly string[]): RawBuilder<unknown> {
  const form = new RegExp(regexOf(pattern), 'u');
  const names = addresses.flatMap((address) => form.exec(address)?.[1] ?? []);
  const isNamed = pattern.includes('{slug}')
    ? sql`one.slug = any(${names}::text[])`
    : sql`one.id = any(${names}::bigint[])`;
  const address = addressIn(pattern, 'one', sql.ref('one.slug'));
  return sql`
    select ${address} as path, ${kind === 'article' ? sql`one.is_published` : sql`true`} as is_public
    from ${sql.id('content', kind)} as one where ${isNamed} and ${address} = any(${addresses}::text[])`;
}

export function from(lead: Lead): RawBuilder<string> {
  return addressIn(lead.pattern, 'one', slugOf(lead, 'one'));
}

export function to({ now }: Lead): RawBuilder<string> {
  return addressIn(now, 'one', sql.ref('one.slug'));
}

function keyOf({ slugs }: Lead): RawBuilder<unknown> {
  return slugs === 'former' ? sql.ref('one_former.redirect_id') : sql.ref('one.id');
}

function isAddressOf(other: Addresses, address: RawBuilder<unknown>): RawBuilder<unknown> {
  const named = sql`substring(${address} from ${sql.lit(regexOf(other.pattern))})`;
  const isNamed = other.pattern.includes('{slug}')
    ? sql`${slugOf(other, 'other')} = ${named}`
    : sql`other.id = ${named}::bigint`;
  return sql`exists (select from ${pagesOf(other, 'other')} and ${isNamed}
    and ${addressIn(other.pattern, 'other', slugOf(other, 'other'))} = ${address})`;
}

/** The pages that readers see, with their former slugs if those are meant; conditions may follow. */
function pagesOf({ kind, slugs }: Addresses, alias: string): RawBuilder<unknown> {
  const [page, former] = [sql.id(alias), sql.id(`${alias}_former`)];
  const isPublic = kind === 'article' ? sql`${page}.is_published` : sql`true`;
  const table = sql`${sql.id('content', kind)} as ${page}`;
  if (slugs === 'own') return sql`${table} where ${isPublic}`;
  return sql`${table} join content.former_slug as ${former}
    on ${former}.resource = ${sql.lit(kind)} and ${former}.id = ${page}.id where ${isPublic}`;
}

function slugOf({ slugs }: Addresses, alias: string): RawBuilder<unknown> {
  return sql.id(slugs === 'own' ? alias : `${alias}_former`, 'slug');
}

function addressIn(pattern: string, alias: string, slug: RawBuilder<unknown>): RawBuilder<string> {
  const id = sql.id(alias, 'id');
  return sql<string>`replace(replace(${sql.lit(pattern)}, '{id}', ${id}::text), '{slug}', ${slug})`;
}
