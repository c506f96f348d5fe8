import type { Payload } from './payload.ts';
import type { S3Request } from './request.ts';
import type { S3Response } from './response.ts';
import type { Storage } from './storage.ts';

/** The context of an operation. The signature of the request was right. */
export interface OperationContext {
  storage: Storage;
  request: S3Request;
  payload: Payload;
  /** Seals what clients are to give back unchanged. */
  secret: string;
  /** The region that the store says it is in. */
  region: string;
  /** ms since 1970. */
  now(): number;
}

/** An operation of the S3 API. @throws S3Error the answer when it cannot be done */
export type Operation = (context: OperationContext) => Promise<S3Response>;
