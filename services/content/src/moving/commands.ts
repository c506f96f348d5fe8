import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { readConfig } from '@pressroom/common/start/config';
import type { Command } from 'commander';
import type { Kysely } from 'kysely';
import { contentSettings, inspectionRules } from '../config.ts';
import type { ContentTables } from '../tables.ts';
import { exportContent } from './export.ts';
import { jsonLineEntries } from './json-lines.ts';
import { runImport } from './run-import.ts';
import type { SourceEntry } from './source-entry.ts';

/** Runs work with the database of a command. */
type WithContent = (work: (db: Kysely<ContentTables>) => Promise<void>) => Promise<void>;

/** The settings that say what HTML an article may have. */
const { CONTENT_HTML, CONTENT_JSON_LD, CONTENT_OVERLAYS } = contentSettings;

/** The options of every import. */
interface Given {
  author?: string;
  truncate?: true;
  dryRun?: true;
  exact?: true;
  ignore?: string;
}

/** Adds the commands by which articles move in and out (`docs/moving.md`). */
export function addMovingCommands(program: Command, withContent: WithContent): void {
  const runOf = (entries: AsyncIterable<SourceEntry>, given: Given) =>
    withContent(async (db) => {
      const rules = inspectionRules(
        readConfig({ CONTENT_HTML, CONTENT_JSON_LD, CONTENT_OVERLAYS }, process.env),
      );
      process.exitCode = await runImport(db, entries, rules, {
        author: given.author,
        truncate: given.truncate === true,
        dryRun: given.dryRun === true,
        exact: given.exact === true,
      });
    });
  const every = (command: Command) =>
    command
      .option('--author <name>', 'the author of articles that name none')
      .option('--truncate', 'shorten excerpts that are too long, between words')
      .option('--dry-run', 'tell what would be refused and why, and write nothing');

  const importing = program
    .command('import')
    .description('import articles, categories and tags from a JSON Lines file')
    .argument('<file>', 'the file, or - for standard input');
  every(importing)
    .option('--ignore <members>', 'other members that the file has, separated by commas; they are left out')
    .option('--exact', 'restore an export: keep ids, and take articles as they are')
    .action((file: string, given: Given) =>
      runOf(jsonLineEntries(file, given.ignore?.split(',') ?? []), given),
    );

  program
    .command('export')
    .description('write all articles, categories and tags as JSON Lines')
    .argument('[file]', 'the file, or - for standard output', '-')
    .action((file: string) =>
      withContent(async (db) => {
        const out = file === '-' ? process.stdout : createWriteStream(file);
        const lines = await exportContent(db, out);
        if (out !== process.stdout) await finished(out.end());
        console.error(`${lines} lines`);
      }),
    );
}
