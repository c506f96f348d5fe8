import type { Readable } from 'node:stream';

/** Headers of the client's request that are copied to the upstream request. */
export type ForwardedHeaders = Partial<
  Record<'range' | 'if-range' | 'if-none-match' | 'if-modified-since', string>
>;

/** A request to an upstream host. */
export interface MediaRequest {
  method: 'GET' | 'HEAD';
  headers: ForwardedHeaders;
  /** Aborted when no request waits for the answer. */
  signal: AbortSignal;
}

/** Media as an upstream host sends it. */
export interface Media {
  /** 200, 206 for a range, 304 if the client already has it. */
  status: 200 | 206 | 304;
  /** The headers that describe the body, by lower-case name. */
  headers: Record<string, string>;
  /** Never more than the limit; fails if the host sends more, or stops. */
  body: Readable;
}

/** An upstream host did not start to answer in time. */
export class UpstreamTimeout extends Error {}
