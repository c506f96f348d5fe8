import type { Readable } from 'node:stream';
import type { Failure } from '@pressroom/common/failures/failure';

/** Request headers that a client's request has and the upstream request takes over. */
export type ForwardedHeaders = Partial<
  Record<'range' | 'if-range' | 'if-none-match' | 'if-modified-since', string>
>;

/** What is asked of an upstream host. */
export interface MediaRequest {
  method: 'GET' | 'HEAD';
  headers: ForwardedHeaders;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** Media as an upstream host sends it. */
export interface Media {
  /** 200, 206 for a range, 304 when the client has it already. */
  status: 200 | 206 | 304;
  /** What describes the body, by lower-case name. */
  headers: Record<string, string>;
  /** Never more than the limit; breaks off with an error when the host sends more, or stops. */
  body: Readable;
}

/** An upstream host did not begin to answer in time. */
export class UpstreamTimeout extends Error {}

/** Carries the failure that stands for a fault that comes up in the middle of undici's work, such as an address refused. */
export class Refused extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}
