import type { SignedRequest, UploadRequest } from '../api/gallery.ts';

type Sign = (request: UploadRequest) => Promise<SignedRequest>;

/** The age up to which a signature is used, in ms; the service signs for longer. */
const FRESH_MS = 5 * 60_000;

/** The most parts that S3 takes. */
const LAST_PART = 10_000;

/**
 * Signs the next part of an upload while the current one is sent: parts go one after the other, and none
 * waits for the service. `now` is the time in ms.
 */
export function signingAhead(sign: Sign, now: () => number = Date.now): Sign {
  /** The signature of the part after the last one that was asked for, by upload. */
  const ahead = new Map<string, { part: number; at: number; signed: Promise<SignedRequest> }>();
  return async (request) => {
    if (request.method !== 'PUT' || !('partNumber' in request)) {
      // Completing or aborting an upload ends it.
      if ('uploadId' in request) ahead.delete(request.uploadId);
      return sign(request);
    }
    const { uploadId, partNumber } = request;
    const kept = ahead.get(uploadId);
    const fresh = kept?.part === partNumber && now() - kept.at < FRESH_MS ? kept : undefined;
    // A signature that failed ahead of its time is asked for again.
    const signed = await (fresh?.signed.catch(() => sign(request)) ?? sign(request));
    if (partNumber < LAST_PART) {
      const next = sign({ ...request, partNumber: partNumber + 1 });
      next.catch(() => undefined);
      ahead.set(uploadId, { part: partNumber + 1, at: now(), signed: next });
    }
    return signed;
  };
}
