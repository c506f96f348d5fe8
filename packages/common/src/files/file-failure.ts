import { Failure } from '../failures/failure.ts';

/** What is said of a file, by Node's code of the error. */
const REASONS: Record<string, (path: string) => Failure> = {
  ENOENT: (path) => new Failure('missing', `there is no file ${path}`),
  ENOTDIR: (path) => new Failure('missing', `there is no file ${path}`),
  EISDIR: (path) => new Failure('refused', `${path} is a directory; name a file`),
  EACCES: (path) => new Failure('refused', `the file ${path} may not be read by this user`),
  EPERM: (path) => new Failure('refused', `the file ${path} may not be read by this user`),
};

/** The failure that says in a sentence why the file at `path` cannot be read; any other error as it is. */
export function fileFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error && 'code' in error)) return error;
  // The same codes come from sockets.
  if (!['open', 'read', 'stat'].includes(String(error.syscall))) return error;
  return REASONS[String(error.code)]?.(path) ?? error;
}
