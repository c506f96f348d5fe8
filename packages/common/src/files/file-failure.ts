import { Failure } from '../failures/failure.ts';

/** The failure for a file, by Node's error code. */
const REASONS: Record<string, (path: string) => Failure> = {
  ENOENT: (path) => new Failure('missing', `the file ${path} does not exist`),
  ENOTDIR: (path) => new Failure('missing', `the file ${path} does not exist`),
  EISDIR: (path) => new Failure('refused', `${path} is a directory; give the path of a file`),
  EACCES: (path) => new Failure('refused', `this user is not allowed to read the file ${path}`),
  EPERM: (path) => new Failure('refused', `this user is not allowed to read the file ${path}`),
};

/** The failure that says why the file at `path` cannot be read; other errors are returned unchanged. */
export function fileFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error && 'code' in error)) return error;
  // Sockets use the same codes.
  if (!['open', 'read', 'stat'].includes(String(error.syscall))) return error;
  return REASONS[String(error.code)]?.(path) ?? error;
}
