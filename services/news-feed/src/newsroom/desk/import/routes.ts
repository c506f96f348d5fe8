import { personOf } from '@pressroom/common/desk/person';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { importFile } from '../../import/import-file.ts';
import { importLineJsonSchema } from '../../import/import-line.ts';
import type { EditorParts } from '../editors.ts';
import { importBody, importedAnswer, lineSchemaAnswer } from './schema.ts';

const TAGS = ['import'];

/** The largest file, in bytes of JSON. */
const BODY_LIMIT = 8 * 2 ** 20;

/** The operations of an import. */
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
