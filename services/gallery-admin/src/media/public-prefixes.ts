import { isInTrash, isKeyLength, RENDITIONS, storedPath } from '../names.ts';
import { versionedPath } from './renditions.ts';

export interface MediaAddress {
  key: string;
  /** The version of the object, if it is named: then what is answered never changes. */
  version: string | undefined;
  /** True for a request for the picture's description rather than its bytes. */
  isDescription: boolean;
}

/** The part before the key in a permanent address. */
const VERSIONED = /^v([0-9a-f]{12})\/(?=.)/;

/** The part after the key in the address of a description. */
const DESCRIBED = '.json';

/**
 * The public part of a bucket: keys below one of the prefixes. Keys that begin like a version or like the
 * folder of renditions cannot be public.
 */
export class PublicPrefixes {
  readonly prefixes: readonly string[];

  constructor(prefixes: readonly string[]) {
    this.prefixes = prefixes;
  }

  /** Reads the decoded path below `/media/`; undefined if it names nothing public. */
  read(path: string): MediaAddress | undefined {
    const [begin = '', version] = VERSIONED.exec(path) ?? [];
    const rest = path.slice(begin.length);
    const isDescription = rest.endsWith(DESCRIBED);
    const key = isDescription ? rest.slice(0, -DESCRIBED.length) : rest;
    // Other keys are not reached: proxies and stores may take `..` or `//` for another path.
    if (key.endsWith('/') || !isKeyLength(key) || !storedPath.safeParse(key).success) return undefined;
    return this.has(key) ? { key, version, isDescription } : undefined;
  }

  /**
   * The permanent path of a version; undefined if the key is not public or cannot be read, as with `.json`.
   */
  pathOf(key: string, version: string): string | undefined {
    const address = this.read(`v${version}/${key}`);
    return address?.key === key ? versionedPath(key, version) : undefined;
  }

  /** True if anything at `path`, a key or a folder, may be public. */
  touches(path: string): boolean {
    return this.has(path) || this.prefixes.some((prefix) => prefix.startsWith(path.replace(/\/?$/, '/')));
  }

  has(key: string): boolean {
    return this.prefixes.some((prefix) => key.startsWith(prefix));
  }
}

/** True for a folder whose addresses cannot be taken for something else. */
export function isPublicPrefix(prefix: string): boolean {
  if (!prefix.endsWith('/') || VERSIONED.test(`${prefix}x`)) return false;
  if (prefix.startsWith(RENDITIONS) || isInTrash(prefix)) return false;
  return storedPath.safeParse(prefix).success;
}
