import { anyText, idParameter, integerParameter, text } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import { timestamp } from '../wire.ts';

/** Path of one source. */
export const sourcePath = z.object({ id: idParameter() });

/** Query string of the list. */
export const sourcesQuery = z.strictObject({
  limit: integerParameter(1, 100).default(50),
  cursor: integerParameter(1).optional().describe('`nextCursor` of the page before.'),
});

const source = z.object({
  id: z.int(),
  url: z.string(),
  givenUrl: z.string(),
  name: z.string(),
  isNamed: z.boolean(),
  category: z.string().nullable(),
  directions: z.array(z.string()),
  firstParty: z.boolean(),
  weight: z.number(),
  select: z.string(),
  readPages: z.boolean(),
  images: z.boolean(),
  rules: z.array(z.string()),
  stoppedRules: z
    .array(z.object({ rule: z.string(), reason: z.string() }))
    .describe('Rules that took too long and are not applied until the rules are saved again.'),
  page: z.string().nullable().describe('Where its page lists articles; null: it is a feed or a sitemap.'),
  state: z.enum(['active', 'paused', 'gone']),
  createdAt: timestamp,
  nextPollAt: timestamp,
  intervalSeconds: z.number(),
  lastPolledAt: timestamp.nullable(),
  lastSuccessAt: timestamp.nullable(),
  lastChangeAt: timestamp.nullable(),
  failures: z.int(),
  failingSince: timestamp.nullable(),
  lastError: z.string().nullable(),
  offeredUrl: z
    .string()
    .nullable()
    .describe('The feed that a page names which the source answers instead of its own.'),
  unusableEntries: z.int(),
  unreadEntries: z.int(),
  repeatedEntries: z.int(),
  leftOut: z
    .array(z.object({ title: z.string(), reason: z.string() }))
    .describe('The first entries of its feed that are not read, and why.'),
  emptyReads: z.int(),
  day: z.int().describe('New entries in 24 hours.'),
  pending: z.int().describe('Entries that wait to be edited.'),
  refused: z.int().describe('Entries that cannot be items.'),
  days: z.array(z.int()).describe('New entries in each of the last 14 times 24 hours, the latest last.'),
});

/** Answer of the list. */
export const sourcesAnswer = z.object({ sources: z.array(source), nextCursor: z.string().nullable() });

/** A source with its counts. */
export const sourceAnswer = source;

/** Answer of the detail. */
export const sourceDetailAnswer = source.extend({
  refusedEntries: z.array(z.object({ title: z.string().nullable(), reason: z.string().nullable() })),
});

const url = text(4000);
const settings = {
  name: text(1000).describe("Empty: the feed's own title."),
  category: text(100).describe('Empty: the editor decides on each item.'),
  directions: z.array(text(100), 'must be a list of directions').max(100),
  firstParty: z.boolean('must be true or false'),
  weight: z.number('must be a number'),
  select: text(100),
  readPages: z.boolean('must be true or false'),
  images: z.boolean('must be true or false'),
  rules: z.array(text(1000), 'must be a list of rules').max(1000),
  page: z
    .union([text(1000), z.literal(false)], 'must be selectors, auto, or false')
    .describe('`auto`: its articles are found.'),
};

/** Body of `POST`. */
export const sourceCreate = z
  .strictObject({ ...settings })
  .partial()
  .extend({ url });

/** Body of `PATCH`. */
export const sourcePatch = z
  .strictObject({ ...settings, url })
  .partial()
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have at least one member',
    params: { code: 'required' },
  })
  .meta({ minProperties: 1 });

/** Body of a try. */
export const sourceTry = z.strictObject({ url, page: text(1000).optional() });

/** The most entries that a try shows. */
export const MOST_TRIED = 200;

/** Answer of a try. */
export const triedAnswer = z.object({
  url: z.string().describe('The address that answered.'),
  title: z.string().nullable(),
  entries: z
    .array(
      z.object({
        title: z.string(),
        url: z.string(),
        publishedAt: timestamp.nullable(),
        summary: z.string().nullable(),
      }),
    )
    .describe(`The first ${MOST_TRIED}.`),
  count: z.int().describe('How many there are.'),
  leadsTo: z.array(z.string()).describe('What is read instead.'),
});

/** Answer of the dropped entries. */
export const droppedAnswer = z.object({
  entries: z.array(z.object({ title: z.string().nullable(), rule: z.string(), discoveredAt: timestamp })),
});

/** Body of a try of rules. */
export const rulesTry = z.strictObject({ rules: settings.rules });

/** Answer of a try of rules. */
export const rulesTriedAnswer = z.object({
  entries: z.array(
    z.object({
      title: z.string(),
      droppedBy: z.string().nullable(),
      category: z.string().nullable(),
      points: z.number(),
    }),
  ),
});

/** Body of an import. */
export const opmlImport = z.strictObject({ opml: anyText() });

/** Answer of an import. */
export const opmlImportedAnswer = z.object({
  added: z.int(),
  known: z.int(),
  refused: z.array(z.object({ url: z.string(), reason: z.string() })),
});
