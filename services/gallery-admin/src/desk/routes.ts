import { operation } from '@pressroom/common/http/operation';
import type { GalleryConfig } from '../config.ts';
import { problemResponses } from '../problems.ts';
import { deskAnswer } from './schema.ts';
import { type Section, stateOf } from './section.ts';

/** What there is at the desk: an addition to `docs/spec/gallery-admin.md`. */
export function deskOperations(config: GalleryConfig, sections: { content: Section; newsroom: Section }) {
  const { CONTENT_SITE_URL: url, CONTENT_ARTICLE_PATH: articlePath } = config;
  const read = operation({
    schema: {
      tags: ['desk'],
      operationId: 'readDesk',
      summary: 'Say which sections the desk has, and how they are',
      description:
        'Below `/api/desk/content/` and `/api/desk/newsroom/` are routes of those services, as they describe them.',
      response: { 200: deskAnswer, ...problemResponses(400, 401, 503) },
    },
    handler: async () => {
      const [content, newsroom] = await Promise.all([stateOf(sections.content), stateOf(sections.newsroom)]);
      return {
        success: true as const,
        data: {
          person: config.ADMIN_USERNAME ?? '',
          sections: { content: { state: content }, newsroom: { state: newsroom } },
          media: { publicPrefixes: config.MEDIA_PUBLIC },
          site: url === undefined ? null : { url, articlePath },
        },
      };
    },
  });
  return { read };
}
