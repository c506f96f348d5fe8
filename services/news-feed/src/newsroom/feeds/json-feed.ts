import { parseJsonFeed } from 'feedsmith';
import { isImage, isRecording } from './entry-image.ts';
import type { MarkedText } from './plain-text.ts';
import type { RawFeed } from './raw-feed.ts';

/** Reads a JSON Feed, in which only `content_html` is HTML. Throws an error that says what is wrong. */
export function readJsonFeed(json: string): RawFeed {
  const { title, home_page_url, feed_url, language, hubs = [], items = [] } = parseJsonFeed<string>(json);
  return {
    title: title === undefined ? undefined : { value: title, markup: 'none' },
    home: home_page_url,
    entries: items.map((item) => ({
      key: item.id,
      titles: texts('none', item.title),
      texts: [
        ...texts('none', item.summary),
        ...texts('html', item.content_html),
        ...texts('none', item.content_text),
      ],
      links: [
        item.url,
        item.external_url,
        ...(item.attachments ?? []).map(({ mime_type: type = '', url = '' }) =>
          isRecording(type, url) ? url : undefined,
        ),
      ].flatMap((href) => (href === undefined ? [] : [{ href }])),
      dates: [item.date_published, item.date_modified].filter((date) => date !== undefined),
      images: [
        item.image,
        item.banner_image,
        ...(item.attachments ?? []).map(({ mime_type, url }) => (isImage(mime_type) ? url : undefined)),
      ].flatMap((href) => (href === undefined ? [] : [{ href }])),
      languages: item.language === undefined ? [] : [item.language],
    })),
    languages: language === undefined ? [] : [language],
    links: [{ href: feed_url, rel: 'self' }, ...hubs.map(({ url }) => ({ href: url, rel: 'hub' }))],
  };
}

function texts(markup: MarkedText['markup'], value: string | undefined): MarkedText[] {
  return value === undefined ? [] : [{ value, markup }];
}
