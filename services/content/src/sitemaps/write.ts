import { XML_DECLARATION, xmlDocument } from '@pressroom/common/feeds/xml-document';
import { xmlText } from '@pressroom/common/feeds/xml-text';
import { x } from 'xastscript';
import type { Site } from '../site.ts';
import type { NewsArticle, SitemapFile } from './store.ts';

/** The media type of every sitemap. */
export const SITEMAP_MEDIA_TYPE = 'application/xml; charset=utf-8';

const SITEMAPS = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** The index of the sitemap: its files by what their pages are about. */
export function writeIndex(files: Record<string, readonly SitemapFile[]>, { url }: Site): string {
  const entries = Object.entries(files).flatMap(([plural, numbered]) =>
    numbered.map(({ file, changed }) =>
      x('sitemap', [
        x('loc', `${url}/sitemap.xml?part=${plural}-${file}`),
        ...(changed === undefined ? [] : [x('lastmod', changed.toISOString())]),
      ]),
    ),
  );
  return xmlDocument(x(null, [x('sitemapindex', { xmlns: SITEMAPS }, entries)]));
}

/** A file of the sitemap, from its `url` elements. */
export function writeFile(urls: string): string {
  return `${XML_DECLARATION}<urlset xmlns="${SITEMAPS}">${urls}</urlset>\n`;
}

/** The sitemap for news, in the form that Google documents. */
export function writeNews(articles: readonly NewsArticle[], language: string, site: Site): string {
  const urls = articles.map((article) =>
    x('url', [
      x('loc', site.page('article', article)),
      x('news:news', [
        x('news:publication', [
          x('news:name', xmlText(site.name)),
          x('news:language', newsLanguage(language)),
        ]),
        x('news:publication_date', article.published_at.toISOString()),
        x('news:title', xmlText(article.title)),
      ]),
    ]),
  );
  const namespaces = { xmlns: SITEMAPS, 'xmlns:news': 'http://www.google.com/schemas/sitemap-news/0.9' };
  return xmlDocument(x(null, [x('urlset', namespaces, urls)]));
}

/** The code that Google wants: of ISO 639, but Chinese by its script. */
function newsLanguage(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  if (language !== 'zh') return language;
  return script === 'Hant' ? 'zh-tw' : 'zh-cn';
}
