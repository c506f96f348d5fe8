import { PRIVATE } from '@pressroom/common/caching/conditional';
import { anyText } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { z } from 'zod';
import { envelope, success } from '../envelope.ts';
import type { RedirectStore } from './store.ts';

/** The most links of a question. */
const MOST_LINKS = 200;

const linksBody = z.strictObject({
  urls: z
    .array(anyText().max(2000), 'must be a list of addresses')
    .max(MOST_LINKS, `must be at most ${MOST_LINKS} addresses`)
    .describe(
      'As they are in the text. Only those of pages of this site are looked up, and nothing is fetched.',
    ),
});

const brokenLink = z
  .object({
    url: z.string(),
    fault: z
      .enum(['missing', 'draft'])
      .describe(
        '`missing`: no article, category, author or redirect; `draft`: an article that is not published.',
      ),
  })
  .meta({ id: 'BrokenLink', description: 'A link to a page of the site that readers do not find.' });

/** Says which links of a text lead to no page of the site (`docs/spec/wire.md`, "Links"). */
export function linksOperation(redirects: () => Promise<RedirectStore>) {
  return operation({
    schema: {
      tags: ['articles'],
      operationId: 'checkLinks',
      summary: 'Find the links of a text that lead to no page of the site',
      description:
        'Addresses are judged by the patterns of the site; those of other pages and hosts are taken for good.' +
        ' The answer has those that readers would not find, in their order.',
      body: linksBody,
      response: {
        200: envelope(z.array(brokenLink)),
        ...problemResponses(400, 401, 403, 413, 415, 422, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const urls = [...new Set(request.body.urls)];
      const faults = await (await redirects()).brokenAmong(urls);
      const broken = urls.flatMap((url) => {
        const fault = faults.get(url);
        return fault === undefined ? [] : [{ url, fault }];
      });
      return reply.header('cache-control', PRIVATE).send(success('Links checked', broken));
    },
  });
}
