/**
 * An error that ends a start and that the user can fix. The message is one line and says what to change; it
 * is shown without a stack trace.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
