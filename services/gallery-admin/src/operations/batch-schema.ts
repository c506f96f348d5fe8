import { z } from 'zod';

/** How many paths of a batch are shown. */
export const SHOWN_PATHS = 20;

const undoing = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('move'),
    paths: z.array(z.string()),
    dest: z.string(),
    names: z
      .array(z.object({ path: z.string(), name: z.string() }))
      .optional()
      .describe('The old names of those that got another.'),
  }),
  z.object({ action: z.literal('rename'), path: z.string(), name: z.string() }),
  z.object({ action: z.literal('restore'), paths: z.array(z.string()) }),
]);

const batchView = z
  .object({
    id: z.uuid(),
    action: z.enum(['delete', 'restore', 'copy', 'move', 'rename']),
    paths: z.array(z.string()).describe(`The paths of the request, at most ${SHOWN_PATHS} of them.`),
    pathCount: z.int().describe('How many paths the request has.'),
    dest: z.string().nullable().describe('The destination folder of a copy or move.'),
    name: z.string().nullable().describe('The new name, for a renaming.'),
    bucketId: z.string(),
    state: z
      .enum(['running', 'interrupted', 'done', 'failed'])
      .describe('interrupted: its process ended. An interrupted or failed batch can be resumed.'),
    progress: z
      .object({ done: z.int(), total: z.int().nullable() })
      .describe(
        'Steps: one for each object; two for each that is moved, renamed, restored or deleted to the trash. total is null while it is unknown.',
      ),
    message: z.string().nullable().describe('How it ended, for people; null while it runs.'),
    code: z.string().nullable().describe('Why it failed, such as destination_conflict; else null.'),
    affected: z
      .int()
      .nullable()
      .describe('Number of objects deleted, restored, copied or moved; null until it is done.'),
    startedAt: z.string().describe('RFC 3339, UTC.'),
    endedAt: z.string().nullable().describe('RFC 3339, UTC; null while it runs.'),
  })
  .meta({ id: 'Batch' });

/** A batch as clients see it. */
export type BatchView = z.infer<typeof batchView>;

/** The path of one batch. */
export const batchPath = z.strictObject({ id: z.uuid('must be the id of a batch') });

/** The query string of the list, which takes no parameters. */
export const batchListQuery = z.strictObject({});

/** The response to a request that started or resumed a batch. */
export const batchStarted = z.object({ success: z.literal(true), message: z.string(), batch: batchView });

/** The response to a read of one batch. */
export const batchRead = z.object({
  success: z.literal(true),
  batch: batchView,
  undo: z
    .array(undoing)
    .describe(
      'The requests that take a finished move, renaming or deletion to the trash back; empty if nothing can be taken back.',
    ),
});

/** The response to a read of the history. */
export const batchList = z.object({
  success: z.literal(true),
  data: z.array(batchView).describe('The newest first: those of the last 30 days, at most 100.'),
});
