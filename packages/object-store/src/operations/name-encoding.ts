import { escapeUriPath } from '@smithy/core/protocols';
import { S3Error } from '../errors.ts';

/** Writes the name of a key or prefix into a listing; undefined stays undefined. */
export type NameEncoder = <Name extends string | undefined>(name: Name) => Name;

/**
 * How a listing writes names: as they are, or percent-encoded with `encoding-type=url`, which also works for
 * characters that XML cannot represent.
 *
 * @throws S3Error InvalidArgument for another encoding
 */
export function nameEncoder(query: URLSearchParams): NameEncoder {
  const encoding = query.get('encoding-type') || undefined;
  if (encoding !== undefined && encoding !== 'url') {
    throw new S3Error('InvalidArgument', 'The only encoding-type is url.');
  }
  return (name) => (encoding && name !== undefined ? (escapeUriPath(name) as typeof name) : name);
}
