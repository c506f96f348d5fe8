import { personOf } from '@pressroom/common/desk/person';
import { anyText } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { z } from 'zod';
import { importFile, importLineJsonSchema } from '../importer.ts';
import type { EditorParts } from './editors.ts';

const importBody = z.strictObject({
  lines: anyText().describe('JSON Lines, as `GET /api/import/schema` describes one.'),
  dryRun: z.boolean('must be true or false').optional().describe('Shows what would happen.'),
});

const importedAnswer = z.object({
  created: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  refused: z.array(z.object({ number: z.int(), reason: z.string() })).describe('By the number of the line.'),
});

/** Answer with the JSON Schema of a line. */
const lineSchemaAnswer = z.looseObject({});

const TAGS = ['import'];

/** The largest file, in bytes of JSON. */
const BODY_LIMIT = 8 * 2 ** 20;

export function importOperations({ db, vocabulary }: EditorParts) {
  const run = operation({
    bodyLimit: BODY_LIMIT,
    schema: {
      tags: TAGS,
      operationId: 'importLines',
      summary: 'Import items, stories and reset records from JSON Lines',
      body: importBody,
      response: { 200: importedAnswer, ...problemResponses(400, 401, 403, 413, 415, 422, 503) },
    },
    handler: async ({ body: { lines, dryRun = false }, headers }) =>
      importFile({
        db,
        file: Buffer.from(lines),
        actor: personOf(headers),
        vocabulary,
        dryRun,
        onProgress: () => undefined,
      }),
  });
  const schema = operation({
    schema: {
      tags: TAGS,
      operationId: 'getLineSchema',
      summary: 'Describe a line of an import',
      response: { 200: lineSchemaAnswer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async () => ({ ...importLineJsonSchema(vocabulary) }),
  });
  return { run, schema };
}
