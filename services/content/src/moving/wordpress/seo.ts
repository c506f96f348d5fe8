import { webAddress } from '../web-address.ts';
import type { WxrEntry } from './wxr.ts';

/** Where Yoast SEO, Rank Math and All in One SEO (today's and before version 4) keep each member. */
const KEYS = {
  meta_title: ['_yoast_wpseo_title', 'rank_math_title', '_aioseo_title', '_aioseop_title'],
  meta_description: [
    '_yoast_wpseo_metadesc',
    'rank_math_description',
    '_aioseo_description',
    '_aioseop_description',
  ],
  canonical_url: ['_yoast_wpseo_canonical', 'rank_math_canonical_url', '_aioseop_custom_link'],
  primary: ['_yoast_wpseo_primary_category', 'rank_math_primary_category'],
} as const;

/** What the plugins write in place of something else: `%%title%%`, `%title%`, `#post_title`. */
const VARIABLE = /%%(\w+)%%|%(\w+)%|#(post_title|site_title|separator_sa)\b/g;

/** The members for search engines, in the order of {@link KEYS} the first plugin's. */
export function seoOf({ meta }: WxrEntry, title: string, site: string, notes: string[]) {
  const values: Readonly<Record<string, string>> = {
    title,
    post_title: title,
    sitename: site,
    site_title: site,
    sep: '-',
    separator_sa: '-',
  };
  const first = (keys: readonly string[]) =>
    keys.map((key) => meta.get(key)?.trim()).find((value) => value !== undefined && value !== '');
  const text = (keys: readonly string[]) =>
    first(keys)
      ?.replaceAll(VARIABLE, (_, yoast, rankMath, aioseo) => values[yoast ?? rankMath ?? aioseo] ?? '')
      .replaceAll(/\s+/g, ' ')
      .trim() || null;
  const canonical = first(KEYS.canonical_url);
  const address = webAddress(canonical);
  if (canonical !== undefined && address === undefined)
    notes.push(`canonical address ${canonical}: is none; left out`);
  return {
    meta_title: text(KEYS.meta_title),
    meta_description: text(KEYS.meta_description),
    canonical_url: address ?? null,
    /** The id of the category that stands for the article. */
    primary: first(KEYS.primary),
  };
}
