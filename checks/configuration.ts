import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commonSettings, expectation, type SettingNote } from '@pressroom/common/start/config';
import { contentSettings } from '@pressroom/content/config';
import { gallerySettings } from '@pressroom/gallery-admin/config';
import { newsFeedSettings } from '@pressroom/news-feed/config';
import { z } from 'zod';

/** The page with the tables, from the repository's root. */
const PAGE = 'docs/configuration.md';

type Settings = Record<string, z.ZodType>;

/** The tables of the page, by the name in their marks. */
const TABLES: Readonly<Record<string, Settings>> = {
  'every service': commonSettings,
  content: withoutCommon(contentSettings),
  'news-feed': withoutCommon(newsFeedSettings),
  'gallery-admin': withoutCommon(gallerySettings),
};

/** Writes the tables of `docs/configuration.md` from the schemas of the services. */
export async function writeConfiguration(root: string): Promise<void> {
  const file = join(root, PAGE);
  await writeFile(file, withTables(await readFile(file, 'utf8'), TABLES));
}

/** Finds settings without a description, and a page that differs from what the schemas say. */
export async function configurationFaults(root: string): Promise<string[]> {
  const nameless = Object.values(TABLES).flatMap((settings) =>
    Object.entries(settings).filter(([, schema]) => noteOf(schema).description === undefined),
  );
  if (nameless.length > 0) {
    return nameless.map(([name]) => `${name} has no description: say what it is for with \`setting\``);
  }
  const page = await readFile(join(root, PAGE), 'utf8');
  if (page === withTables(page, TABLES)) return [];
  return [`${PAGE}: differs from the schemas; run \`pnpm configuration\``];
}

/**
 * The page with each table between its marks, `<!-- settings: NAME -->` and `<!-- end -->`. Throws if a table
 * has no place.
 */
export function withTables(page: string, tables: Readonly<Record<string, Settings>>): string {
  return Object.entries(tables).reduce((text, [name, settings]) => {
    const begin = `<!-- settings: ${name} -->\n`;
    const from = text.indexOf(begin);
    const to = text.indexOf('<!-- end -->', from);
    if (from === -1 || to === -1) throw new Error(`${PAGE} has no place for the settings of ${name}`);
    return `${text.slice(0, from)}${begin}\n${table(settings)}\n${text.slice(to)}`;
  }, page);
}

function table(settings: Settings): string {
  const rows = Object.entries(settings).map(([name, schema]) => {
    const { description = '' } = noteOf(schema);
    const accepted = expectation(schema) ?? 'any text';
    return `| \`${name}\` | ${accepted} | ${absence(schema)} | ${description} |\n`;
  });
  return ['| Variable | Value | If absent | What it is |\n', '|---|---|---|---|\n', ...rows].join('');
}

/** What holds if a setting is absent. */
function absence(schema: z.ZodType): string {
  const { whenAbsent } = noteOf(schema);
  if (whenAbsent !== undefined) return whenAbsent;
  const result = schema.safeParse(undefined);
  if (!result.success) return 'an error';
  const value = Array.isArray(result.data) ? result.data.join(',') : (result.data ?? '');
  return value === '' ? '' : `\`${value}\``;
}

function noteOf(schema: z.ZodType): Partial<SettingNote> {
  return z.globalRegistry.get(schema) ?? {};
}

function withoutCommon(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !(name in commonSettings)));
}
