import { deskKeySetting } from '@pressroom/common/desk/desk-key';
import {
  ConfigError,
  commonSettings,
  type Environment,
  encryptionKey,
  integer,
  port,
  readConfig,
  secret,
  setting,
  yesOrNo,
} from '@pressroom/common/start/config';
import { fixedVariables } from '@pressroom/common/start/desk-settings';
import { articleSettings, siteUrl } from '@pressroom/common/start/site-settings';
import { z } from 'zod';
import { isPublicPrefix } from './media/public-prefixes.ts';
import { folderPrefix } from './names.ts';
import type { WaysIn } from './people/people-store.ts';
import { hostRules } from './proxy/host-rules.ts';
import { issuerOf, oidcProviders } from './session/oidc-providers.ts';
import { parsePasswordHash, passwordRule } from './session/password.ts';

export const PORT_VARIABLE = 'GALLERY_ADMIN_PORT';

/** The variable that moves the port of `gallery media`. */
export const MEDIA_PORT_VARIABLE = 'MEDIA_PORT';

function endpoint() {
  return z.string().refine(isEndpoint, 'the URL of an object store, such as https://s3.example.com');
}

function publicPrefixes() {
  return z
    .string()
    .transform((value) => value.split(',').map((prefix) => folderPrefix(prefix.trim())))
    .refine(
      (prefixes) => prefixes.every(isPublicPrefix),
      'folders of the bucket separated by commas, such as public/, press/2026/',
    );
}

function passwordHash() {
  const accept = (value: string) => parsePasswordHash(value) !== undefined;
  return z
    .string()
    .refine(accept, 'an argon2id hash as a PHC string, as printed by `pnpm gallery hash-password`');
}

function smtpUrl() {
  return z
    .string()
    .refine(
      (value) => /^smtps?:$/.test(URL.parse(value)?.protocol ?? '') && URL.parse(value)?.hostname !== '',
      'an address of the form smtp://HOST:PORT or smtps://USER:PASSWORD@HOST',
    );
}

function password() {
  return z.string().refine((value) => passwordRule(value) === undefined, {
    error: ({ input }) => passwordRule(String(input)),
  });
}

const storeSettings = {
  S3_ENDPOINT: setting(endpoint(), 'The object store.'),
  S3_PUBLIC_ENDPOINT: setting(
    endpoint().optional(),
    'The address at which browsers reach the same store.',
    '`S3_ENDPOINT`',
  ),
  S3_REGION: setting(z.string().default('us-east-1'), 'The region of the store; R2 takes `auto`.'),
  S3_BUCKET: setting(z.string(), 'The bucket that is active until another one is chosen in the settings.'),
  S3_ACCESS_KEY_ID: setting(z.string(), 'The access key of the store.'),
  S3_SECRET_ACCESS_KEY: setting(secret(z.string()), 'The secret key of the store.'),
  S3_FORCE_PATH_STYLE: setting(
    yesOrNo().default(true),
    '`false` for stores that only accept the bucket in the host name.',
  ),
};

/** The settings of the environment's bucket. */
export type StoreConfig = z.infer<z.ZodObject<typeof storeSettings>>;

/** The variables of the settings that owners change at the desk. */
export const DESK_VARIABLES = { publicFolders: 'MEDIA_PUBLIC', mail: 'SMTP_URL' } as const;

/** The settings of public media, in whichever process they are served. */
const publicSettings = {
  MEDIA_PUBLIC: setting(
    publicPrefixes().default([]),
    'The folders of the active bucket that anyone may read at `/media/`; see [public media](gallery-media.md#public-media).',
  ),
  MEDIA_RATE_LIMIT: setting(
    integer(1, 10_000_000).default(3000),
    'Requests per minute from one client address to `/media/`.',
  ),
  GALLERY_FIXED: setting(
    fixedVariables(Object.values(DESK_VARIABLES)),
    'Settings of the gallery that the desk shows and does not change; see [gallery](gallery.md#settings-at-the-desk).',
  ),
  SETTINGS_KEY: setting(
    encryptionKey(),
    'Encrypts the keys of saved buckets, the password of the mail server and the secrets of apps for codes, and signs the cookie of known browsers.',
  ),
  SETTINGS_KEY_PREVIOUS: setting(
    encryptionKey().optional(),
    'The previous `SETTINGS_KEY`, which still works for older data until `pnpm gallery bucket reseal`.',
  ),
  ...storeSettings,
};

/** The settings of `gallery media`. */
export const mediaSettings = {
  ...commonSettings,
  [MEDIA_PORT_VARIABLE]: setting(port().default(4006), 'The port to listen on.'),
  ...publicSettings,
};

/** The settings of `gallery media`. */
export type MediaConfig = z.infer<z.ZodObject<typeof mediaSettings>>;

/** The settings of the gallery administration, with what each is for. */
export const gallerySettings = {
  ...commonSettings,
  [PORT_VARIABLE]: setting(port().default(4002), 'The port to listen on.'),
  ADMIN_USERNAME: setting(
    z.string().optional(),
    'The username; without it, every login is 500 `server_misconfigured`.',
  ),
  ADMIN_PASSWORD_HASH: setting(secret(passwordHash()).optional(), 'The hash of the password.'),
  ADMIN_PASSWORD: setting(
    secret(password()).optional(),
    'The password, if no hash is set. Common ones are refused.',
  ),
  LOGIN_PASSWORDS: setting(
    z.enum(['on', 'off']).default('on'),
    '`off`: people log in without a password, such as with a passkey. `ADMIN_USERNAME` still does.',
  ),
  LOGIN_SECOND_FACTOR: setting(
    z.enum(['optional', 'required']).default('optional'),
    '`required`: people without a passkey or an app for codes can only set one up, unless they came by single sign-on.',
  ),
  COOKIE_SECURE: setting(yesOrNo().default(true), '`false` if the service is reached over plain http.'),
  OIDC_PROVIDERS: setting(
    oidcProviders().default([]),
    'The providers of [single sign-on](gallery.md#single-sign-on).',
    'no single sign-on',
  ),
  LOGIN_PROXY_HEADER: setting(
    z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,60}$/, 'the name of a header, such as X-Forwarded-Email')
      .optional(),
    'The header in which an authenticating proxy says the e-mail address of who is logged in there. It counts only from proxies that `TRUST_PROXY` names, which must drop it from what clients send.',
  ),
  PROXY_ALLOWED_HOSTS: setting(
    hostRules({ subdomains: true }).default([]),
    "Hosts that the proxy may contact besides the active bucket's endpoint.",
  ),
  PROXY_PRIVATE_HOSTS: setting(
    hostRules({ subdomains: false }).default([]),
    'Those of `PROXY_ALLOWED_HOSTS`, and of the sites whose pictures imports bring along, that may have private addresses, without wildcards.',
  ),
  GALLERY_TRAIL_DAYS: setting(
    integer(30, 36_500, 'days').default(365),
    'Retention of the trail of the desk.',
  ),
  SMTP_URL: setting(
    secret(smtpUrl()).optional(),
    'The mail server that sends invitations, such as `smtps://user:password@smtp.example.com`; takes `SMTP_FROM`.',
    'links are only shown',
  ),
  SMTP_FROM: setting(z.email().optional(), 'The e-mail address that invitations come from.'),
  CONTENT_URL: setting(
    siteUrl().optional(),
    'The content service, for [files used in articles](gallery-media.md#used-in-articles) and, with `DESK_KEY`, articles at the desk.',
  ),
  CONTENT_SITE_URL: articleSettings.CONTENT_SITE_URL,
  CONTENT_ARTICLE_PATH: articleSettings.CONTENT_ARTICLE_PATH,
  NEWSROOM_URL: setting(
    siteUrl().optional(),
    "The newsroom's worker at its `NEWS_DESK_PORT`.",
    'no news at the desk',
  ),
  DESK_KEY: deskKeySetting,
  ...publicSettings,
};

export type GalleryConfig = z.infer<z.ZodObject<typeof gallerySettings>>;

/** Reads the settings of the gallery administration. Throws `ConfigError` with every error. */
export function readGalleryConfig(env: Environment): GalleryConfig {
  const config = readConfig(gallerySettings, env);
  if (config.SMTP_URL !== undefined && config.SMTP_FROM === undefined)
    throw new ConfigError(['SMTP_FROM is missing: SMTP_URL takes the address that mail comes from']);
  if (config.LOGIN_PROXY_HEADER !== undefined && config.TRUST_PROXY === undefined) {
    throw new ConfigError([
      'LOGIN_PROXY_HEADER is set, expected TRUST_PROXY to name the proxy that sends it',
    ]);
  }
  return config;
}

/** Reads the settings of `gallery media`. Throws `ConfigError` with every error. */
export function readMediaConfig(env: Environment): MediaConfig {
  return readConfig(mediaSettings, env);
}

/** Reads the keys of saved buckets alone. Throws `ConfigError` with every error. */
export function readSettingsKeys(
  env: Environment,
): Pick<GalleryConfig, 'SETTINGS_KEY' | 'SETTINGS_KEY_PREVIOUS'> {
  const { SETTINGS_KEY, SETTINGS_KEY_PREVIOUS } = gallerySettings;
  return readConfig({ SETTINGS_KEY, SETTINGS_KEY_PREVIOUS }, env);
}

export function waysInOf(
  config: Pick<GalleryConfig, 'LOGIN_PASSWORDS' | 'OIDC_PROVIDERS' | 'LOGIN_PROXY_HEADER'>,
): WaysIn {
  return {
    passwords: config.LOGIN_PASSWORDS !== 'off',
    issuers: config.OIDC_PROVIDERS.map(issuerOf),
    proxy: config.LOGIN_PROXY_HEADER !== undefined,
  };
}

/** Reads the ways in alone. Throws `ConfigError` with every error. */
export function readWaysIn(env: Environment): WaysIn {
  const { LOGIN_PASSWORDS, OIDC_PROVIDERS, LOGIN_PROXY_HEADER } = gallerySettings;
  return waysInOf(readConfig({ LOGIN_PASSWORDS, OIDC_PROVIDERS, LOGIN_PROXY_HEADER }, env));
}

/** Reads the settings of the environment's bucket alone. Throws `ConfigError` with every error. */
export function readStoreConfig(env: Environment): StoreConfig {
  return readConfig(storeSettings, env);
}

/** True for the URL of an object store: http or https, without credentials, query and fragment. */
export function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}
