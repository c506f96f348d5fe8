import { createHmac, timingSafeEqual } from 'node:crypto';
import { S3Error } from './errors.ts';
import type { KeyBytes } from './storage/keys.ts';

/** What a token belongs to: it continues no other listing. */
export interface TokenListing {
  bucket: string;
  prefix: string;
  delimiter: string;
}

const MAC_BYTES = 16;

/** The token that continues a listing after `last`. Only a holder of `secret` can make one. */
export function sealToken(secret: string, listing: TokenListing, last: KeyBytes): string {
  return Buffer.concat([macOf(secret, listing, last), last]).toString('base64url');
}

/** The last entry of the page before. @throws S3Error `InvalidArgument` for a token of another listing */
export function openToken(secret: string, listing: TokenListing, token: string): string {
  const last = Buffer.from(token, 'base64url').subarray(MAC_BYTES);
  const given = Buffer.from(token);
  const issued = Buffer.from(sealToken(secret, listing, last));
  const isOurs = given.length === issued.length && timingSafeEqual(given, issued);
  if (isOurs && last.length > 0) return last.toString('utf8');
  throw new S3Error('InvalidArgument', 'The continuation token was not issued for this listing.');
}

function macOf(secret: string, { bucket, prefix, delimiter }: TokenListing, last: KeyBytes): Buffer {
  const identity = JSON.stringify(['continuation', bucket, prefix, delimiter]);
  return createHmac('sha256', secret).update(identity).update(last).digest().subarray(0, MAC_BYTES);
}
