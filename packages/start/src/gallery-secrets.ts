import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '@pressroom/embedded-postgres/start-error';

/** What a first start makes up, and every later one uses again. */
export interface GallerySecrets {
  readonly adminPassword: string;
  /** 32 bytes in base64. */
  readonly settingsKey: string;
  /** The keys of the embedded object store. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Where the secrets lie, and whether this start has made them. */
export interface KeptSecrets {
  readonly secrets: GallerySecrets;
  readonly file: string;
  readonly isNew: boolean;
}

/** Letters and digits that are not taken for each other. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/**
 * The secrets of a data directory, made when there are none: in a file that only its owner can read. Throws a
 * {@link StartError} when the file is there and cannot be used.
 */
export function openGallerySecrets(dataDir: string): KeptSecrets {
  const file = path.join(dataDir, 'gallery.json');
  const kept = read(file);
  if (kept !== undefined) return { secrets: kept, file, isNew: false };
  const secrets = make();
  const partial = `${file}.new`;
  mkdirSync(dataDir, { recursive: true });
  rmSync(partial, { force: true });
  writeFileSync(partial, `${JSON.stringify(secrets, undefined, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(partial, file);
  return { secrets, file, isNew: true };
}

function make(): GallerySecrets {
  return {
    adminPassword: Array.from({ length: 4 }, () => word(5)).join('-'),
    settingsKey: randomBytes(32).toString('base64'),
    accessKeyId: `embedded-${word(8)}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  };
}

/** 32 letters to choose from: 5 bits of a random byte each, without bias. */
function word(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

function read(file: string): GallerySecrets | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw unusable(file, String(error));
  }
  const secrets = parse(text);
  const names = ['adminPassword', 'settingsKey', 'accessKeyId', 'secretAccessKey'] as const;
  const missing = names.filter((name) => typeof secrets[name] !== 'string' || secrets[name] === '');
  if (missing.length > 0) throw unusable(file, `it has no ${missing.join(', ')}`);
  return secrets as unknown as GallerySecrets;
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function unusable(file: string, reason: string): StartError {
  return new StartError(
    `${file} cannot be used (${reason}); put it back, or delete it and lose the keys of the buckets that were saved`,
  );
}
