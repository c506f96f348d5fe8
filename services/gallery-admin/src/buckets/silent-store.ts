import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';

/** Commands during which a store may be silent for minutes, because it assembles objects. */
const LONG = new Set(['CompleteMultipartUploadCommand', 'CopyObjectCommand', 'UploadPartCopyCommand']);

/** A store was silent for too long. Asking it again at once would only take as long. */
class StoreSilent extends Error {
  constructor(cause: unknown) {
    super('the store stopped answering', { cause });
    this.name = 'AbortError';
  }
}

/**
 * Aborts an answer if nothing arrives for `limitMs` while a reader waits for it, and stops the SDK from
 * retrying a request that a store left unanswered: three attempts would take three times as long.
 */
export function giveUpSilentStore(s3: S3Client, limitMs: number): void {
  s3.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const answer = await next(args);
        const { body } = answer.response as { body?: unknown };
        if (isFromSocket(body) && !LONG.has(commandName ?? '')) watch(body, limitMs);
        return answer;
      },
    { step: 'deserialize', priority: 'low', name: 'watchAnswer' },
  );
  s3.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw isSilence(error) ? new StoreSilent(error) : error;
      }
    },
    // Runs inside the SDK's own retries, which treat a TimeoutError as retryable.
    { step: 'finalizeRequest', priority: 'low', name: 'repeatNoSilence' },
  );
}

/** True for a time limit that has passed. The SDK calls a connection that broke a TimeoutError, too. */
function isSilence(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'TimeoutError') return false;
  return !('code' in error) || error.code === 'ETIMEDOUT';
}

/** The body of an answer, as Node receives it. */
type Body = Readable & { socket: Socket };

function isFromSocket(body: unknown): body is Body {
  return body instanceof Readable && 'socket' in body;
}

function watch(body: Body, limitMs: number): void {
  const { socket } = body;
  const onSilence = () => {
    // If data has arrived but is not read yet, the reader is slow, not the store.
    if (body.readableLength > 0) socket.setTimeout(limitMs);
    else body.destroy(Object.assign(new Error('the store stopped answering'), { name: 'TimeoutError' }));
  };
  socket.setTimeout(limitMs);
  socket.on('timeout', onSilence);
  body.once('close', () => {
    socket.off('timeout', onSilence);
    socket.setTimeout(0);
  });
}
