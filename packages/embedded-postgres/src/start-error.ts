/**
 * A fault that ends a start and that whoever started it can mend. The message is one line and says what to
 * change; it is shown without a stack.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
