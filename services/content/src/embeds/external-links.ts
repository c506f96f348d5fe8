import { PRIVATE } from '@pressroom/common/caching/conditional';
import { Failure } from '@pressroom/common/failures/failure';
import { anyText } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { z } from 'zod';
import { envelope, success } from '../envelope.ts';
import type { PageFetcher } from './page-fetcher.ts';

/** The most links of a question. */
const MOST_LINKS = 30;

/** The time limit of all links of a question, in ms. */
const MOST_MS = 8000;

/** The most links that are asked at once, for everybody. */
const MOST_AT_ONCE = 4 * MOST_LINKS;

const linksBody = z.strictObject({
  urls: z
    .array(anyText().max(2000), 'must be a list of addresses')
    .max(MOST_LINKS, `must be at most ${MOST_LINKS} addresses`)
    .describe('Absolute, as they are in the text. Others than those of http and https are left out.'),
});

const externalLink = z
  .object({
    url: z.string(),
    fault: z
      .enum(['missing', 'unanswered', 'unchecked'])
      .describe(
        '`missing`: there is no such page (404, 410); `unanswered`: no answer in time, or an error of the' +
          ' server; `unchecked`: it cannot be said, as of what is not public or refuses programs.',
      ),
  })
  .meta({ id: 'ExternalLink', description: 'A link to another site that may be broken.' });

type Fault = z.infer<typeof externalLink>['fault'];

/** Says which links to other sites do not answer (`docs/spec/wire.md`, "Links"). */
export function externalLinksOperation(links: ExternalLinks) {
  return operation({
    schema: {
      tags: ['articles'],
      operationId: 'checkExternalLinks',
      summary: 'Find the links to other sites that do not answer',
      description:
        'Each is asked from here, at public addresses only, by HEAD and then by GET, without its body, all within' +
        ' 8 s. The answer has those that may be broken, in their order. A key may ask this for a 50th of its rate.',
      body: linksBody,
      response: {
        200: envelope(z.array(externalLink)),
        ...problemResponses(400, 401, 403, 413, 415, 422, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const found = await links.brokenAmong([...new Set(request.body.urls)]);
      return reply.header('cache-control', PRIVATE).send(success('Links checked', found));
    },
  });
}

/** Links to other sites, asked whether they answer. */
export class ExternalLinks {
  readonly #pages: PageFetcher;
  #asked = 0;

  constructor(pages: PageFetcher) {
    this.#pages = pages;
  }

  /** The links that may be broken, in their order. Throws `unavailable` if too many are asked. */
  async brokenAmong(urls: readonly string[]): Promise<z.infer<typeof externalLink>[]> {
    const links = urls.flatMap((url) => {
      const parsed = URL.parse(url);
      return parsed !== null && /^https?:$/.test(parsed.protocol) ? [{ url, parsed }] : [];
    });
    if (this.#asked + links.length > MOST_AT_ONCE)
      throw new Failure('unavailable', 'too many links are being checked; try again', { reason: 'busy' });
    this.#asked += links.length;
    const signal = AbortSignal.timeout(MOST_MS);
    try {
      const faults = await Promise.all(links.map(({ parsed }) => this.#faultOf(parsed, signal)));
      return links.flatMap(({ url }, index) => {
        const fault = faults[index];
        return fault === undefined ? [] : [{ url, fault }];
      });
    } finally {
      this.#asked -= links.length;
    }
  }

  async #faultOf(url: URL, signal: AbortSignal): Promise<Fault | undefined> {
    // A password in an address is for its owner alone.
    if (url.username !== '' || url.password !== '') return 'unchecked';
    try {
      const status = await this.#pages.statusOf(url, signal);
      if (status < 400) return undefined;
      if (status === 404 || status === 410) return 'missing';
      return status >= 500 ? 'unanswered' : 'unchecked';
    } catch (error) {
      const code = error instanceof Failure ? error.code : undefined;
      return code === 'embed_unreachable' || code === 'embed_too_slow' ? 'unanswered' : 'unchecked';
    }
  }
}
