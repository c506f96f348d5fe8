/**
 * What went wrong, in one line: the message of `error`, or those of the errors it combines. A host name with
 * two addresses that both refuse a connection is an `AggregateError` whose own message is empty.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  return error.message;
}
