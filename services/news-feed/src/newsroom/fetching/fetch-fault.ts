/** What went wrong with a request to a source. */
export type FetchFaultCode =
  | 'not_allowed'
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'redirects'
  | 'content_coding';

/** A request to a source failed; the message is for an editor. */
export class FetchFault extends Error {
  readonly code: FetchFaultCode;

  constructor(code: FetchFaultCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'FetchFault';
    this.code = code;
  }
}
