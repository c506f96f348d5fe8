import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { commonSettings, expectation, type SettingNote } from '@pressroom/common/start/config';
import { variablesOf } from '@pressroom/common/start/misspelt-settings';
import { z } from 'zod';
import { passedVariables } from './compose.ts';
import { SERVICE_SETTINGS, type Settings } from './service-settings.ts';

/** The page with the tables, from the repository's root. */
const PAGE = 'docs/configuration.md';

/** The settings of the Compose file, with those that an operator must choose before the mark. */
const EXAMPLE = '.env.example';

/** Every variable of a setting, for the chart. */
const NAMES = 'deploy/helm/settings.txt';

/** `pnpm configuration` writes everything after this line of {@link EXAMPLE}. */
const REST = '# Every other setting, as it is if absent:\n';

/** The widest line of {@link EXAMPLE}. */
const WIDTH = 120;

/** The settings of each table, by the name in its mark: each setting stands in the first one that has it. */
const TABLES = firstPlaces({ 'every service': commonSettings, ...SERVICE_SETTINGS });

/** Writes the tables of `docs/configuration.md`, the end of `.env.example` and the names in the chart. */
export async function writeConfiguration(root: string): Promise<void> {
  for (const { file, generated } of await generate(root)) await writeFile(file, generated);
}

/** Finds settings without a description, and files that differ from what the schemas say. */
export async function configurationFaults(root: string): Promise<string[]> {
  const nameless = Object.values(TABLES).flatMap((settings) =>
    Object.entries(settings).filter(([, schema]) => noteOf(schema).description === undefined),
  );
  if (nameless.length > 0) {
    return nameless.map(([name]) => `${name} has no description: say what it is for with \`setting\``);
  }
  return (await generate(root))
    .filter(({ text, generated }) => text !== generated)
    .map(({ file }) => `${relative(root, file)}: differs from the schemas; run \`pnpm configuration\``);
}

/** The files with what is generated in them, as they are and as they should be. */
async function generate(root: string): Promise<{ file: string; text: string; generated: string }[]> {
  const [page, example, names] = [join(root, PAGE), join(root, EXAMPLE), join(root, NAMES)];
  const [pageText, exampleText, namesText] = await Promise.all([
    readFile(page, 'utf8'),
    readFile(example, 'utf8'),
    readFile(names, 'utf8'),
  ]);
  const passed = await passedVariables(root);
  return [
    { file: page, text: pageText, generated: withTables(pageText, TABLES) },
    { file: example, text: exampleText, generated: withEverySetting(exampleText, TABLES, passed) },
    { file: names, text: namesText, generated: everyVariable() },
  ];
}

function everyVariable(): string {
  const variables = new Set(Object.values(TABLES).flatMap(variablesOf));
  return [...variables]
    .sort()
    .map((variable) => `${variable}\n`)
    .join('');
}

/** Settings by the name of a table. */
type Tables = Readonly<Record<string, Settings>>;

/**
 * The page with each table between its marks, `<!-- settings: NAME -->` and `<!-- end -->`. Throws if a table
 * has no place.
 */
export function withTables(page: string, tables: Tables): string {
  return Object.entries(tables).reduce((text, [name, settings]) => {
    const begin = `<!-- settings: ${name} -->\n`;
    const from = text.indexOf(begin);
    const to = text.indexOf('<!-- end -->', from);
    if (from === -1 || to === -1) throw new Error(`${PAGE} has no place for the settings of ${name}`);
    return `${text.slice(0, from)}${begin}\n${table(settings)}\n${text.slice(to)}`;
  }, page);
}

/** `.env.example` with what the Compose file passes on and nothing before {@link REST} explains. */
function withEverySetting(example: string, tables: Tables, passed: ReadonlySet<string>): string {
  const end = example.indexOf(REST);
  if (end === -1) throw new Error(`${EXAMPLE} has no place for the other settings`);
  const head = example.slice(0, end + REST.length);
  const parts = Object.entries(tables).flatMap(([name, settings]) => {
    const left = Object.entries(settings).filter(
      ([key]) => passed.has(key) && !new RegExp(`^#? ?${key}=`, 'm').test(head),
    );
    return left.length === 0 ? [] : [`\n# ${name}\n${left.map((entry) => explained(...entry)).join('')}`];
  });
  return head + parts.join('');
}

/** A setting as `.env.example` shows it: what it is for, then the line to uncomment. */
function explained(name: string, schema: z.ZodType): string {
  const { description = '' } = noteOf(schema);
  const words = description.replaceAll(/\[(.+?)\]\(.+?\)/g, '$1').split(' ');
  const lines = words.reduce<string[]>(
    ([line = '', ...earlier], word) =>
      `${line} ${word}`.length > WIDTH ? [`# ${word}`, line, ...earlier] : [`${line} ${word}`, ...earlier],
    ['#'],
  );
  return `${lines.reverse().join('\n')}\n# ${name}=${defaultOf(schema) ?? ''}\n`;
}

function table(settings: Settings): string {
  const rows = Object.entries(settings).map(([name, schema]) => {
    const { description = '' } = noteOf(schema);
    const accepted = expectation(schema) ?? 'any text';
    return `| \`${name}\` | ${accepted} | ${absence(schema)} | ${description} |\n`;
  });
  return ['| Variable | Value | If absent | Description |\n', '|---|---|---|---|\n', ...rows].join('');
}

/** Describes the effect of a setting's absence. */
function absence(schema: z.ZodType): string {
  const { whenAbsent } = noteOf(schema);
  if (whenAbsent !== undefined) return whenAbsent;
  const value = defaultOf(schema);
  if (value === undefined) return 'required';
  return value === '' ? '' : `\`${value}\``;
}

/** The default of a setting as its variable would have it; undefined if it is required. */
function defaultOf(schema: z.ZodType): string | undefined {
  const result = schema.safeParse(undefined);
  if (!result.success) return undefined;
  return Array.isArray(result.data) ? result.data.join(',') : String(result.data ?? '');
}

function noteOf(schema: z.ZodType): Partial<SettingNote> {
  return z.globalRegistry.get(schema) ?? {};
}

function firstPlaces(tables: Tables): Tables {
  const placed = new Set<string>();
  return Object.fromEntries(
    Object.entries(tables).map(([name, settings]) => {
      const own = Object.entries(settings).filter(([key]) => !placed.has(key));
      for (const [key] of own) placed.add(key);
      return [name, Object.fromEntries(own)];
    }),
  );
}
