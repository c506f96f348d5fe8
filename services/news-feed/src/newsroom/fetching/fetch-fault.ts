/** A request to a source failed; the message is for an editor. */
export class FetchFault extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'FetchFault';
  }
}
