import { z } from 'zod';
import type { Vocabulary } from '../../vocabulary.ts';
import { address, linksSchema, timestamp } from '../items/representation.ts';
import { directionParameter } from '../items/schema.ts';
import type { Site } from '../site.ts';
import { body } from '../wire.ts';

/** Query string of the hot topics. */
export function hotTopicsQuery(vocabulary: Vocabulary) {
  return z.strictObject({ direction: directionParameter(vocabulary) });
}

/** A topic in the list. */
function hotTopicSchema(site: Site) {
  return z.object({
    rank: z.int().min(1).max(10),
    id: z.string().describe('The id of the item that represents the topic.'),
    title: z.string(),
    source: z.object({ name: z.string() }),
    links: linksSchema(site, {
      original: address,
      story: address
        .optional()
        .describe('A page for people; its last path segment is the `publicId` for the story endpoint.'),
    }),
    sourceCount: z.int().min(1).describe('The number of distinct sources that report on the topic.'),
    signalCount: z.int().min(1).describe('The number of reports on the topic.'),
    participantCount: z
      .int()
      .min(0)
      .optional()
      .describe('The number of people who discuss the topic, if known.'),
    sourceNames: z.array(z.string()),
    latestAt: timestamp.describe('The time of the newest report.'),
  });
}

/** A topic, including the link whose name the deployment chooses. */
export type HotTopic = z.infer<ReturnType<typeof hotTopicSchema>>;

/** Answer of the hot topics. */
export function hotTopicsAnswer(site: Site) {
  return body({ count: z.int(), items: z.array(hotTopicSchema(site)).max(10) });
}
