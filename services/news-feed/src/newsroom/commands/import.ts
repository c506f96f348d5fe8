import type { Command } from 'commander';
import { readVocabulary } from '../../config.ts';
import { importFile } from '../import/import-file.ts';
import { importLineJsonSchema } from '../import/import-line.ts';
import { importCounts, importReport } from '../import/import-report.ts';
import type { ImportTally } from '../import/importer.ts';
import { type EditorOptions, editing, print } from './editor-options.ts';
import { withDatabase } from './with-database.ts';

interface ImportOptions extends EditorOptions {
  schema?: boolean;
  dryRun?: boolean;
}

/** `newsroom import`. */
export function addImportCommand(program: Command): void {
  editing(program.command('import'))
    .description('import items, stories and reset records from a JSON Lines file')
    .argument('[file]', 'the file, or - for standard input')
    .option('--schema', 'print the JSON Schema of a line')
    .option('--dry-run', 'show what would happen without changing anything')
    .action(async (file: string | undefined, options: ImportOptions) => {
      const vocabulary = readVocabulary(process.env);
      if (options.schema) return console.log(JSON.stringify(importLineJsonSchema(vocabulary), null, 2));
      if (file === undefined) throw new Error('a file is required: name one, or - for standard input');
      const dryRun = options.dryRun === true;
      const tally = await withDatabase((db) =>
        importFile({ db, file, actor: options.by, vocabulary, dryRun, onProgress }),
      );
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
      print(options, tally, () => importReport(tally, dryRun));
      if (tally.refused.length > 0) process.exitCode = 1;
    });
}

function onProgress(lines: number, tally: Readonly<ImportTally>): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${lines} lines: ${importCounts(tally)}`);
}
