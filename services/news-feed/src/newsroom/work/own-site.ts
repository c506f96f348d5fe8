import { getDomain } from 'tldts';
import type { Source } from '../sources/source-store.ts';
import { articleSpellings } from './article-spellings.ts';

/** Whether an article is on the site of a source: of its feed, or of the page that an editor gave. */
export function isOnSiteOf({ url, given_url }: Pick<Source, 'url' | 'given_url'>, article: string): boolean {
  const [plain = ''] = articleSpellings(article);
  const site = siteOf(new URL(`https://${plain}`));
  return [url, given_url].some((address) => siteOf(new URL(address)) === site);
}

/**
 * What one owner has: the domain that is registered, by the Public Suffix List; sites on a host like
 * `github.io` are of different owners. A host without a domain stands for itself.
 */
function siteOf({ host, hostname }: URL): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? host;
}
