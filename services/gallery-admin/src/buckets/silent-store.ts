import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';

/** Commands during which a store may be silent for minutes: it puts objects together. */
const LONG = new Set(['CompleteMultipartUploadCommand', 'CopyObjectCommand', 'UploadPartCopyCommand']);

/** A store was silent for too long. Asking it again at once would only take as long again. */
class StoreSilent extends Error {
  constructor(cause: unknown) {
    super('the store has fallen silent', { cause });
    this.name = 'AbortError';
  }
}

/**
 * Breaks an answer off in which nothing arrives for `limitMs` while somebody waits for it, and lets no request be
 * repeated that a store has left without an answer: three times of waiting would be three times as long.
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
    // Inside of the SDK's own retries, which know a TimeoutError for one to repeat.
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
    // What has arrived and is not read yet is held by the reader, not by the store.
    if (body.readableLength > 0) socket.setTimeout(limitMs);
    else body.destroy(Object.assign(new Error('the store has fallen silent'), { name: 'TimeoutError' }));
  };
  socket.setTimeout(limitMs);
  socket.on('timeout', onSilence);
  body.once('close', () => {
    socket.off('timeout', onSilence);
    socket.setTimeout(0);
  });
}
