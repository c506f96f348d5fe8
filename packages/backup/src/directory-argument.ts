import { Failure } from '@pressroom/common/failures/failure';

/**
 * The only argument of `pnpm backup` and `pnpm restore`. Throws a {@link Failure} that says how to call it.
 */
export function directoryArgument(command: string, args: readonly string[]): string {
  const [directory, ...rest] = args;
  if (directory !== undefined && directory !== '' && rest.length === 0) return directory;
  throw new Failure('refused', `name one folder: pnpm ${command} DIR`);
}
