import { anyText } from '@pressroom/common/fields/fields';
import { z } from 'zod';

/** Body of an import. */
export const importBody = z.strictObject({
  lines: anyText().describe('JSON Lines, as `GET /api/import/schema` describes one.'),
  dryRun: z.boolean('must be true or false').optional().describe('Shows what would happen.'),
});

/** Answer of an import. */
export const importedAnswer = z.object({
  created: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  refused: z.array(z.object({ number: z.int(), reason: z.string() })).describe('By the number of the line.'),
});

/** Answer with the JSON Schema of a line. */
export const lineSchemaAnswer = z.looseObject({});
