import { z } from 'zod';
import { isTimeZone } from '../fields/fields.ts';
import { setting } from './config.ts';

/** A site's address without a trailing slash. */
export function siteUrl() {
  const expected = 'an http or https URL without a query string, such as https://news.example';
  const accept = (value: string) => {
    if (!URL.canParse(value)) return false;
    const { protocol, pathname, username, password } = new URL(value);
    // A path of two slashes would be read as another host.
    const isPlain = /^https?:$/.test(protocol) && username + password === '' && !pathname.startsWith('//');
    return isPlain && !/[?#]/.test(value);
  };
  return z
    .string()
    .refine(accept, expected)
    .transform((value) => value.replace(/\/+$/, ''));
}

/** True if a text is a language tag (BCP 47). */
function isLanguage(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value).length > 0;
  } catch {
    return false;
  }
}

/** The name of a time zone. */
export function timeZone() {
  return z.string().refine(isTimeZone, 'a time zone of the IANA database, such as Europe/Lisbon');
}

/** The settings of services that speak for the publishing site. */
export const siteSettings = {
  SITE_NAME: setting(
    z.string().default('Pressroom'),
    'The name of the publishing site in attributions and feeds.',
  ),
  SITE_LANGUAGE: setting(
    z.string().refine(isLanguage, 'a language tag, such as en or zh-CN').optional(),
    "The language of titles and texts, as declared in the feeds, of new slugs (`ü` is `ue` in German), and of the news feed's own words (in English where it has none).",
  ),
  SITE_TIMEZONE: setting(
    timeZone().optional(),
    'The time zone of days that readers are told: of corrections in feeds, of times in JSON-LD and in the sitemap for news, and of reports without `NEWS_REPORT_TIMEZONE`.',
    'UTC',
  ),
};

/**
 * Returns the schema of the path of a kind of page on the site; `members` name a page, such as its slug or
 * its id.
 */
export function pagePath(members: readonly string[] = ['slug', 'id'], example = '/articles/{slug}') {
  const member = String.raw`\{(?:${members.join('|')})\}`;
  return z
    .string()
    .regex(
      new RegExp(String.raw`^(?=.*${member})(?!//)/([\w.~/-]|%[0-9A-Fa-f]{2}|${member})*$`),
      `a path with ${members.map((name) => `{${name}}`).join(' or ')}, such as ${example}`,
    );
}

/** The address of the site that shows the articles, to which content and the desk lead. */
export const articleSettings = {
  CONTENT_SITE_URL: setting(
    siteUrl().optional(),
    'The site that shows the articles; without it there are no feeds and sitemaps. See [content](content.md#feeds-and-sitemaps).',
  ),
  CONTENT_ARTICLE_PATH: setting(
    pagePath().default('/articles/{slug}'),
    "The path of an article's page on that site.",
  ),
};
