import type { S3Client } from '@aws-sdk/client-s3';

/** How far a signature's time may be from the store's until it counts as wrong, in ms: as in the SDK. */
const TOLERATED_MS = 240_000;

/**
 * Lets `s3` sign a request again if the store refused it because of its time. The store says so only in a
 * body, which the answer to a HEAD does not have; and the SDK, which corrects its time by every answer,
 * repeats no request that it had signed for a difference that is gone.
 */
export function repeatSkewed(s3: S3Client): void {
  s3.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const { headers = {} } = args.request as { headers?: Record<string, string> };
        throw isSkewed(error, headers) ? asSkewed(error) : error;
      }
    },
    // Within the SDK's repetitions, and after the signature.
    { step: 'finalizeRequest', priority: 'low', name: 'repeatSkewed' },
  );
}

/** A refusal as the SDK throws it. */
interface Refusal extends Error {
  $metadata: { httpStatusCode?: number };
  $response?: { headers?: Record<string, string> };
}

function isSkewed(error: unknown, sent: Record<string, string>): error is Refusal {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  const { $metadata, $response } = error as Refusal;
  if ($metadata.httpStatusCode !== 403) return false;
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(sent['x-amz-date'] ?? '') ?? [];
  const [year = '', month, day, hour, minute, second] = parts;
  const signedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const answeredAt = Date.parse($response?.headers?.date ?? '');
  return Math.abs(answeredAt - signedAt) > TOLERATED_MS;
}

/** Named as S3 names it, and repeatable: by now the SDK knows the right time. */
function asSkewed(error: Refusal): Refusal {
  return Object.assign(error, { name: 'RequestTimeTooSkewed', $retryable: { throttling: false } });
}
