import { Readable } from 'node:stream';
import { PRIVATE } from '@pressroom/common/caching/conditional';
import { type DatabaseConfig, openDatabase } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { writtenBy } from '../envelope.ts';
import { actorOf, logWrite } from '../requests.ts';
import type { ContentTables } from '../tables.ts';
import { exportedLines } from './export.ts';

/** Longest wait for a client that does not read on, in ms: what it reads is as of one moment. */
const STALLED_MS = 60_000;

const HEADERS = {
  'cache-control': PRIVATE,
  'content-type': 'text/plain; charset=utf-8',
  'content-disposition': 'attachment; filename="content.jsonl"',
} as const;

/** The operation that gives everything as a file; one at a time, over a connection of its own. */
export function exportOperation(db: Kysely<ContentTables>, config: DatabaseConfig) {
  let isBusy = false;
  return operation({
    schema: {
      tags: ['imports'],
      operationId: 'exportContent',
      summary: 'Everything that `content export` writes: categories, tags, authors, releases and articles',
      description:
        'JSON Lines, drafts too, as of one moment, with the ids. A download that ends early is not whole.' +
        ' 503 while another one is under way.',
      response: {
        200: {
          description: 'The file.',
          content: { 'text/plain': { schema: z.custom<Readable>().meta({ type: 'string' }) } },
        },
        ...problemResponses(400, 401, 403, 429, 503),
      },
    },
    handler: async (request, reply) => {
      // Fastify would read the body of a HEAD to its end.
      if (request.method === 'HEAD') return reply.headers(HEADERS).send(Readable.from([]));
      if (isBusy)
        throw new Failure('unavailable', 'another export is under way; try again when it has ended');
      isBusy = true;
      const own = openDatabase<ContentTables>(
        { ...config, DATABASE_POOL_SIZE: 1, idleTransactionMs: STALLED_MS },
        'pressroom content export',
      );
      const lines = exportedLines(own);
      const end = async () => {
        isBusy = false;
        await lines.return(undefined);
        await own.destroy();
      };
      try {
        // The database's refusals are told before the file begins.
        const first = await lines.next();
        await db.transaction().execute(async (tx) => {
          await sql`select ${writtenBy(actorOf(request))}`.execute(tx);
          await tx.insertInto('content.audit').values({ action: 'export', detail: {} }).execute();
        });
        logWrite(request, 'content_exported', {});
        const file = Readable.from(withLineEnds(first, lines), { objectMode: false });
        // Also of a client that has gone before the first line.
        file.once('close', () => void end());
        return reply.headers(HEADERS).send(file);
      } catch (error) {
        await end();
        throw error;
      }
    },
  });
}

async function* withLineEnds(
  first: IteratorResult<string>,
  others: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (!first.done) yield `${first.value}\n`;
  for await (const line of others) yield `${line}\n`;
}
