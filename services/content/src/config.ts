import { deskKeySetting, previousDeskKeySetting } from '@pressroom/common/desk/desk-key';
import { webUrl } from '@pressroom/common/fields/fields';
import { searchConcurrency } from '@pressroom/common/search/open-searches';
import {
  commonSettings,
  type Environment,
  encryptionKey,
  hosts,
  integer,
  origins,
  port,
  publicReadSettings,
  readConfig,
  setting,
} from '@pressroom/common/start/config';
import { fixedVariables } from '@pressroom/common/start/desk-settings';
import { articleSettings, pagePath, siteSettings } from '@pressroom/common/start/site-settings';
import { z } from 'zod';
import type { InspectionRules } from './html/inspection.ts';

export const PORT_VARIABLE = 'CONTENT_PORT';

/** The settings of the site that owners change at the desk, by their names there. */
export const SITE_VARIABLES = {
  name: 'SITE_NAME',
  description: 'SITE_DESCRIPTION',
  language: 'SITE_LANGUAGE',
  zone: 'SITE_TIMEZONE',
  url: 'CONTENT_SITE_URL',
  logo: 'SITE_LOGO',
  article_path: 'CONTENT_ARTICLE_PATH',
  category_path: 'CONTENT_CATEGORY_PATH',
  author_path: 'CONTENT_AUTHOR_PATH',
} as const;

/** The longest address of a logo, in characters. */
export const MOST_OF_LOGO = 2000;

/** The settings of the content service, with what each is for. */
export const contentSettings = {
  ...commonSettings,
  ...publicReadSettings,
  [PORT_VARIABLE]: setting(port().default(4003), 'The port to listen on.'),
  CONTENT_HTML: setting(
    z.enum(['checked', 'trusted'], 'checked or trusted').default('checked'),
    '`trusted` accepts any content, even scripts; see [content](content.md#html).',
  ),
  CONTENT_JSON_LD: setting(
    z.enum(['refused', 'allowed'], 'refused or allowed').default('refused'),
    '`allowed` accepts `<script type="application/ld+json">` in checked content.',
  ),
  CONTENT_OVERLAYS: setting(
    z.enum(['refused', 'allowed'], 'refused or allowed').default('refused'),
    '`allowed` accepts a `style` in checked content that lays elements over the page around the article; see [content](content.md#html).',
  ),
  CONTENT_EXTRA_SCHEMA: setting(
    z.string().optional(),
    'A file with the JSON Schema of `extra` of articles; see [content](content.md#extra).',
    'any object',
  ),
  CONTENT_CORS_ORIGINS: setting(
    origins().optional(),
    'Origins whose pages may write and use keys in browsers. Pages of any origin may read without a key.',
  ),
  CONTENT_RATE_LIMIT: setting(
    integer(1, 1_000_000_000, 'requests a minute').default(60),
    'Requests per minute from one address without a key.',
  ),
  CONTENT_KEY_RATE_LIMIT: setting(
    integer(1, 1_000_000_000, 'requests a minute').default(1000),
    'Requests per minute with one key.',
  ),
  CONTENT_SEARCH_CONCURRENCY: searchConcurrency,
  CONTENT_AUDIT_DAYS: setting(integer(30, 36_500, 'days').default(365), 'Retention of the audit trail.'),
  CONTENT_REVISIONS_KEPT: setting(
    integer(1, 10_000, 'revisions').default(100),
    'Revisions kept of each article, including the current one.',
  ),
  CONTENT_REVISIONS_DAYS: setting(integer(1, 36_500, 'days').default(365), 'Retention of former revisions.'),
  CONTENT_TRASH_DAYS: setting(
    integer(1, 36_500, 'days').default(30),
    'Time for which a deleted article can be restored and keeps its slugs.',
  ),
  CONTENT_REVIEW_OWN: setting(
    z.enum(['allowed', 'refused'], 'allowed or refused').default('allowed'),
    '`refused`: nobody approves a draft that they have written or submitted, nor publishes one at the desk before somebody else has approved it; see [review](spec/wire.md#review).',
  ),
  ...articleSettings,
  CONTENT_CATEGORY_PATH: setting(pagePath().default('/categories/{slug}'), "The path of a category's page."),
  CONTENT_AUTHOR_PATH: setting(pagePath().default('/authors/{slug}'), "The path of an author's page."),
  CONTENT_HOOKS_KEY: setting(
    encryptionKey().optional(),
    'Encrypts the secrets of [hooks](hooks.md).',
    'no events are delivered',
  ),
  CONTENT_HOOKS_KEY_PREVIOUS: setting(
    encryptionKey().optional(),
    'The previous `CONTENT_HOOKS_KEY`, which still decrypts older secrets.',
  ),
  CONTENT_HOOKS_PRIVATE_HOSTS: setting(
    hosts().default([]),
    'Hosts of hooks that may have non-public addresses. `pnpm start` sets `127.0.0.1,localhost,::1`.',
  ),
  DESK_KEY: deskKeySetting,
  DESK_KEY_PREVIOUS: previousDeskKeySetting,
  ...siteSettings,
  SITE_DESCRIPTION: setting(
    z.string().optional(),
    'What the site is about, in a sentence, as its feeds say it.',
    'The newest articles.',
  ),
  SITE_LOGO: setting(
    z
      .string()
      .refine((value) => webUrl(MOST_OF_LOGO).safeParse(value).success, 'an http or https URL')
      .optional(),
    'The address of the logo of the publisher, in feeds and in the JSON-LD of articles.',
  ),
  SITE_FIXED: setting(
    fixedVariables(Object.values(SITE_VARIABLES)),
    'Settings of the site that the desk shows and does not change; see [content](content.md#settings-of-the-site).',
  ),
};

export type ContentConfig = z.infer<z.ZodObject<typeof contentSettings>>;

/** Settings that change answers, or the input that is accepted: replicas must agree on these. */
export const AGREED_SETTINGS = [
  'CONTENT_SITE_URL',
  'CONTENT_ARTICLE_PATH',
  'CONTENT_CATEGORY_PATH',
  'CONTENT_AUTHOR_PATH',
  'SITE_NAME',
  'SITE_LANGUAGE',
  'SITE_TIMEZONE',
  'SITE_DESCRIPTION',
  'SITE_LOGO',
  'SITE_FIXED',
  'CONTENT_HTML',
  'CONTENT_JSON_LD',
  'CONTENT_OVERLAYS',
  'CONTENT_EXTRA_SCHEMA',
] as const satisfies readonly (keyof ContentConfig)[];

/** Reads the settings of the content service. Throws `ConfigError` with every error. */
export function readContentConfig(env: Environment): ContentConfig {
  return readConfig(contentSettings, env);
}

/** Reads the keys of hooks alone. Throws `ConfigError` with every error. */
export function readHooksKeys(
  env: Environment,
): Pick<ContentConfig, 'CONTENT_HOOKS_KEY' | 'CONTENT_HOOKS_KEY_PREVIOUS'> {
  const { CONTENT_HOOKS_KEY, CONTENT_HOOKS_KEY_PREVIOUS } = contentSettings;
  return readConfig({ CONTENT_HOOKS_KEY, CONTENT_HOOKS_KEY_PREVIOUS }, env);
}

export function inspectionRules(
  config: Pick<ContentConfig, 'CONTENT_HTML' | 'CONTENT_JSON_LD' | 'CONTENT_OVERLAYS'>,
): InspectionRules {
  return {
    html: config.CONTENT_HTML,
    jsonLd: config.CONTENT_JSON_LD === 'allowed',
    overlays: config.CONTENT_OVERLAYS === 'allowed',
  };
}
