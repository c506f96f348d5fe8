import {
  commonSettings,
  type Environment,
  integer,
  port,
  readConfig,
  secret,
} from '@pressroom/common/start/config';
import { z } from 'zod';
import { isEndpoint } from './buckets/endpoint.ts';
import { hostRules } from './proxy/host-rules.ts';
import { parsePasswordHash } from './session/password.ts';

/** The variable that moves the port. */
export const PORT_VARIABLE = 'GALLERY_ADMIN_PORT';

function endpoint() {
  return z.string().refine(isEndpoint, 'the URL of an object store, such as https://s3.example.com');
}

function yesOrNo() {
  return z.enum(['true', 'false'], 'true or false').transform((value) => value === 'true');
}

function passwordHash() {
  const accept = (value: string) => parsePasswordHash(value) !== undefined;
  return z
    .string()
    .refine(accept, 'an argon2id hash as a PHC string, as printed by `pnpm gallery hash-password`');
}

function settingsKey() {
  return z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, '32 bytes in base64, as printed by `openssl rand -base64 32`')
    .transform((value) => Buffer.from(value, 'base64'));
}

const storeSettings = {
  S3_ENDPOINT: endpoint(),
  /** The address at which browsers reach the same store, if it differs. */
  S3_PUBLIC_ENDPOINT: endpoint().optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: z.string(),
  S3_ACCESS_KEY_ID: z.string(),
  S3_SECRET_ACCESS_KEY: secret(z.string()),
  /** `false` for stores that only accept the bucket in the host name. */
  S3_FORCE_PATH_STYLE: yesOrNo().default(true),
};

/** The settings of the environment's bucket. */
export type StoreConfig = z.infer<z.ZodObject<typeof storeSettings>>;

/** The variables that the service reads. */
export const gallerySettings = {
  ...commonSettings,
  [PORT_VARIABLE]: port().default(4002),
  /** The largest request body, in bytes; 2,000 keys of 1,024 bytes are 2 MiB and their JSON is more. */
  GALLERY_BODY_LIMIT: integer(1024, 2 ** 30, 'bytes').default(16 * 2 ** 20),
  ADMIN_USERNAME: z.string().optional(),
  /** argon2id as a PHC string; `pnpm gallery hash-password` makes one. */
  ADMIN_PASSWORD_HASH: secret(passwordHash()).optional(),
  ADMIN_PASSWORD: secret(z.string()).optional(),
  /** `false` if the service is reached over plain http, as on a developer's machine. */
  COOKIE_SECURE: yesOrNo().default(true),
  /** Encrypts the credentials of saved buckets. */
  SETTINGS_KEY: secret(settingsKey()),
  /**
   * Hosts that the proxy may contact besides the endpoint of the active bucket: `host`, `host:port`,
   * `*.host`.
   */
  PROXY_ALLOWED_HOSTS: hostRules({ subdomains: true }).default([]),
  /** Those of them that may have private addresses, without wildcards: `host` or `host:port`. */
  PROXY_PRIVATE_HOSTS: hostRules({ subdomains: false }).default([]),
  ...storeSettings,
};

/** The settings of the gallery administration. */
export type GalleryConfig = z.infer<z.ZodObject<typeof gallerySettings>>;

/** Reads the settings of the gallery administration. Throws `ConfigError` with every error. */
export function readGalleryConfig(env: Environment): GalleryConfig {
  return readConfig(gallerySettings, env);
}

/** Reads the settings of the environment's bucket alone. Throws `ConfigError` with every error. */
export function readStoreConfig(env: Environment): StoreConfig {
  return readConfig(storeSettings, env);
}
