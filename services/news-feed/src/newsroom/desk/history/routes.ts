import { integerParameter } from '@pressroom/common/fields/parameters';
import { z } from 'zod';
import { editNumber, timestamp } from './wire.ts';

/** Query string of a history. */
export const historyQuery = z.strictObject({ limit: integerParameter(1, 100).default(50) });

/** Answer of a history. */
export const historyAnswer = z.object({
  edits: z
    .array(
      z.object({
        edit: z.int(),
        at: timestamp,
        actor: z.string().nullable().describe('Who; null for the newsroom itself.'),
        program: z.string(),
        action: z.string(),
        undoes: editNumber.describe('The edit that it undoes.'),
        undoneBy: editNumber.describe('The edit that undoes it.'),
        changes: z.array(z.object({ member: z.string(), before: z.unknown(), after: z.unknown() })),
      }),
    )
    .describe('The newest first.'),
});
