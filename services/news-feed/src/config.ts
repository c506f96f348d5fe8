import { reasonOf } from '@pressroom/common/failures/failure';
import { searchConcurrency } from '@pressroom/common/search/open-searches';
import {
  cidrs,
  commonSettings,
  type Environment,
  integer,
  port,
  publicReadSettings,
  readConfig,
  setting,
} from '@pressroom/common/start/config';
import { fixedVariables } from '@pressroom/common/start/desk-settings';
import { pagePath, siteSettings, siteUrl, timeZone } from '@pressroom/common/start/site-settings';
import { PACKS, readPacks } from '@pressroom/stories/packs';
import { z } from 'zod';
import { Calendar, SHANGHAI } from './calendar.ts';
import { Categories, isFile, labelsOf, nameOf, packLabelsOf } from './categories.ts';
import { NEWS_VARIABLES, NewsSettings } from './settings.ts';
import type { Vocabulary } from './words.ts';

export const PORT_VARIABLE = 'NEWS_FEED_PORT';

/** Members of `links` that already have a meaning. */
const LINK_NAMES = ['original', 'story', 'api'];

/** A name, and how readers see it. */
const NAME = /^[a-z0-9][a-z0-9-]{0,63}(?:=[^\p{C}=]{1,100})?$/u;

/** Comma-separated names, such as the values of a parameter, each with its label if it has one. */
function names() {
  const expected =
    'names of a–z, 0–9 and -, each once, separated by commas, each with its label after a = if it has one';
  return z
    .string()
    .transform((value) => value.split(',').map((name) => name.trim()))
    .refine((values) => values.every((name) => NAME.test(name)), expected)
    .refine((values) => new Set(values.map(nameOf)).size === values.length, expected);
}

/** The settings that the service and the newsroom share. */
export const vocabularySettings = {
  NEWS_PACKS: setting(
    z
      .string()
      .transform((value) => value.split(',').map((pack) => pack.trim()))
      .refine((packs) => packs.every((pack) => isFile(pack) || PACKS.some((known) => known === pack)), {
        message: `packs (${PACKS.join(', ')}) or files of packs that end in .yaml, separated by commas`,
        abort: true,
      })
      .superRefine((packs, context) => {
        try {
          readPacks(packs);
        } catch (error) {
          context.addIssue(`packs that can be read; ${reasonOf(error)}`);
        }
      })
      .default(['technology']),
    'The categories and words that items are judged by. See [newsroom](newsroom.md#packs).',
  ),
  NEWS_DIRECTIONS: setting(
    names().default(['domestic', 'overseas']),
    'The values of `direction`, with labels like those of `NEWS_CATEGORIES`.',
  ),
  NEWS_CATEGORIES: setting(
    names().optional(),
    'The values of `category`, in the order of the sections of reports, with their headings: `ai-models=AI models,finance=财经`.',
    'those of `NEWS_PACKS`; of `technology`: `technology,research,patent,product,industry,finance,policy-standard,event,insight`',
  ),
  SITE_LANGUAGE: siteSettings.SITE_LANGUAGE,
  SITE_TIMEZONE: siteSettings.SITE_TIMEZONE,
  NEWS_REPORT_TIMEZONE: setting(
    timeZone().optional(),
    'The time zone of reports, of their dates and of all other days.',
    '`SITE_TIMEZONE`, else `Asia/Shanghai`',
  ),
  NEWS_REPORT_HOUR: setting(
    integer(0, 23, 'hours').default(8),
    'The hour in that zone up to which a report covers its day, and at which it is published.',
  ),
  NEWS_FIXED: setting(
    fixedVariables(Object.values(NEWS_VARIABLES)),
    'Settings of the news that the desk shows and does not change; see [newsroom](newsroom.md#settings-at-the-desk).',
  ),
};

function reportPath() {
  return pagePath(['date'], '/daily/{date}');
}

/** The settings of the news feed, with what each is for. */
export const newsFeedSettings = {
  ...commonSettings,
  ...publicReadSettings,
  [PORT_VARIABLE]: setting(port().default(4001), 'The port to listen on.'),
  NEWS_RATE_LIMIT: setting(
    integer(1, 1_000_000_000, 'requests a minute').default(120),
    'Requests per minute from one client address.',
  ),
  NEWS_STORIES: setting(
    z.enum(['on', 'off'], 'on or off').default('on'),
    '`off` answers 404 for every story and omits links to stories.',
  ),
  ...vocabularySettings,
  SITE_LINK_NAME: setting(
    z
      .string()
      .refine(
        (value) => /^[A-Za-z][A-Za-z0-9]{0,31}$/.test(value) && !LINK_NAMES.includes(value),
        `a name of letters and digits other than ${LINK_NAMES.join(', ')}`,
      )
      .default('site'),
    'The member of `links` that holds the URL of the page on the publishing site.',
  ),
  SITE_URL: setting(
    siteUrl().optional(),
    'The publishing site, which items, stories and reports link to.',
    '`http://localhost:` and the port',
  ),
  SITE_ITEM_PATH: setting(
    pagePath(['id'], '/news/{id}').default('/items/{id}'),
    "The path of an item's page on that site.",
  ),
  SITE_STORY_PATH: setting(
    z
      .string()
      .regex(
        /^\/(?:(?:[\w.~-]|%[0-9A-Fa-f]{2})+\/)*\{id\}$/,
        'a path that ends in /{id}, such as /story/{id}: clients take the id from there',
      )
      .default('/stories/{id}'),
    "The path of a story's page there; its last segment is the id.",
  ),
  SITE_DAILY_PATH: setting(
    reportPath().default('/dailies/{date}'),
    "The path of a daily report's page there.",
  ),
  SITE_WEEKLY_PATH: setting(
    reportPath().default('/weeklies/{date}'),
    "The path of a weekly report's page there.",
  ),
  SITE_MONTHLY_PATH: setting(
    reportPath().default('/monthlies/{date}'),
    "The path of a monthly report's page there.",
  ),
  SITE_API_URL: setting(
    siteUrl().optional(),
    'The public address of the news feed, for links. If absent, a trusted proxy may provide it (`X-Forwarded-Host`).',
  ),
  ...siteSettings,
  NEWS_HUB_URL: setting(
    z
      .string()
      .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), 'an http or https URL')
      .optional(),
    'The WebSub hub that the feeds declare.',
  ),
  DENY_CIDRS: setting(cidrs().optional(), 'Client addresses that get 403.'),
  NEWS_SEARCH_CONCURRENCY: searchConcurrency,
};

/** The vocabulary that the settings name. Throws a `Failure` for a file that is no pack. */
export function vocabularyOf(config: z.infer<z.ZodObject<typeof vocabularySettings>>): Vocabulary {
  const { NEWS_PACKS: packs, NEWS_CATEGORIES: named, NEWS_DIRECTIONS: directions } = config;
  const { SITE_LANGUAGE: language, NEWS_FIXED: fixed, NEWS_REPORT_HOUR: reportHour } = config;
  const { NEWS_REPORT_TIMEZONE: ownZone, SITE_TIMEZONE: siteZone } = config;
  const categories = new Categories({ packs, named, language });
  const reportZone = ownZone ?? siteZone ?? SHANGHAI.zone;
  const calendar = new Calendar(reportZone, reportHour);
  const environment = { reportZone, reportHour, packs };
  const groups = readPacks(packs).directions;
  const directionLabels = labelsOf(directions, groups, language);
  return {
    get categories() {
      return categories.names;
    },
    get offered() {
      return categories.offered;
    },
    get rules() {
      return categories.rules;
    },
    directions: directions.map(nameOf),
    labels: {
      get category() {
        return categories.labels;
      },
      direction: directionLabels,
    },
    packLabels: {
      get category() {
        return categories.packLabels;
      },
      direction: packLabelsOf(directionLabels, groups, language),
    },
    packs,
    calendar,
    settings: new NewsSettings({ environment, fixed, calendar, categories }),
  };
}

/**
 * Reads what the site calls things, for commands that do not need other settings. Throws
 * `ConfigError`.
 */
export function readVocabulary(env: Environment): Vocabulary {
  return vocabularyOf(readConfig(vocabularySettings, env));
}

export type NewsFeedConfig = z.infer<z.ZodObject<typeof newsFeedSettings>> & { SITE_URL: string };

/**
 * Settings that change answers: replicas that differ in one send other bytes, and some end a mirror's
 * history.
 */
export const AGREED_SETTINGS = [
  'SITE_URL',
  'SITE_NAME',
  'SITE_LANGUAGE',
  'SITE_TIMEZONE',
  'SITE_LINK_NAME',
  'SITE_ITEM_PATH',
  'SITE_STORY_PATH',
  'SITE_DAILY_PATH',
  'SITE_WEEKLY_PATH',
  'SITE_MONTHLY_PATH',
  'SITE_API_URL',
  'NEWS_STORIES',
  'NEWS_PACKS',
  'NEWS_CATEGORIES',
  'NEWS_DIRECTIONS',
  'NEWS_REPORT_TIMEZONE',
  'NEWS_REPORT_HOUR',
  'NEWS_FIXED',
  'NEWS_HUB_URL',
] as const satisfies readonly (keyof NewsFeedConfig)[];

/** Reads the settings of the news feed. Throws `ConfigError` with every error. */
export function readNewsFeedConfig(env: Environment): NewsFeedConfig {
  const config = readConfig(newsFeedSettings, env);
  return { ...config, SITE_URL: config.SITE_URL ?? ownSite(config) };
}

/** Target of links without a site: the service itself. */
export function ownSite({ NEWS_FEED_PORT }: Pick<NewsFeedConfig, 'NEWS_FEED_PORT'>): string {
  return `http://localhost:${NEWS_FEED_PORT}`;
}
