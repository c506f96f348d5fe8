import {
  PRIVATE,
  replyConditionally,
  writePrecondition,
  writtenTag,
} from '@pressroom/common/caching/conditional';
import { isTimeZone, onOneLine, requiredText } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { changesOf, deskSetting } from '@pressroom/common/start/desk-settings';
import { PACKS } from '@pressroom/stories/packs';
import { z } from 'zod';
import { CATEGORY_PATTERN } from '../../fields.ts';
import type { EditorParts } from './editors.ts';

/** The most categories, and the most words of one and of all: each word costs time with every entry. */
const MOST = { categories: 50, words: 100, allWords: 1000 };

/** Plain: `*` and commas mean something in packs, and a pattern could take as long as it likes. */
const PLAIN_WORDS = /^[^\s*,]+( [^\s*,]+)*$/;

const word = onOneLine(requiredText(60)).refine((value) => PLAIN_WORDS.test(value), {
  message: 'must be a word, or words with one space between them, without * and commas',
  params: { code: 'invalid_format' },
});

const category = z.strictObject({
  name: z
    .string()
    .regex(CATEGORY_PATTERN, 'must be a name of a–z, 0–9 and -, of at most 64 characters')
    .describe('What items and addresses have; it never changes.'),
  label: onOneLine(requiredText(100)).describe('How readers see it, in the language of the site.'),
  words: z
    .array(word)
    .max(MOST.words)
    .default([])
    .describe(
      'Plain words that mean it in a text of any language, besides those of the packs, for new items: whole' +
        ' words in upper or lower case, in Chinese and Japanese anywhere.',
    ),
});

const categories = z
  .array(category)
  .min(1)
  .max(MOST.categories)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
    message: 'must have each name once',
    params: { code: 'invalid_value' },
  })
  .refine((all) => all.reduce((sum, { words }) => sum + words.length, 0) <= MOST.allWords, {
    message: `must have at most ${MOST.allWords} words together`,
    params: { code: 'too_long', limit: MOST.allWords },
  });

const packs = z
  .array(z.enum(PACKS, `must be one of ${PACKS.join(', ')}`))
  .min(1)
  .max(PACKS.length)
  .refine((all) => new Set(all).size === all.length, {
    message: 'must have each pack once',
    params: { code: 'invalid_value' },
  })
  .meta({ uniqueItems: true });

/** With null, the environment's value holds again. */
const settingsPatch = z
  .strictObject({
    reportZone: z
      .string()
      .max(100)
      .refine(isTimeZone, {
        message: 'must be a time zone of the IANA database, such as Europe/Lisbon',
        params: { code: 'invalid_format' },
      })
      .nullable()
      .describe('The time zone of reports, of their dates and of all other days.'),
    reportHour: z
      .int()
      .min(0)
      .max(23)
      .nullable()
      .describe('The hour in that zone up to which a report covers its day, and at which it is published.'),
    packs: packs
      .nullable()
      .describe(
        'The packs of Pressroom whose words, signals and categories new items are judged by, a later one over' +
          " those before it, and below the environment's own files.",
      ),
    categories: categories
      .nullable()
      .describe('The categories, in the order of the sections of reports; with null, those of the packs.'),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have at least one member',
    params: { code: 'required' },
  })
  .meta({ minProperties: 1 });

const setting = <Value extends z.ZodType>(value: Value) => deskSetting(value, 'NEWS_FIXED');

const named = z.object({ name: z.string(), label: z.string() });

const settingsAnswer = z.object({
  reportZone: setting(z.string()),
  reportHour: setting(z.int()),
  packs: setting(z.array(z.string())),
  categories: setting(z.array(named.extend({ words: z.array(z.string()) }))),
  formerCategories: z
    .array(named)
    .describe(
      'Those left out that items or sources may still have: readers find them, nothing new gets them.',
    ),
});

/** What a change of settings answers: also what it changed, for a trail. */
const changedAnswer = settingsAnswer.extend({
  changed: z
    .record(z.string(), z.object({ before: z.unknown(), after: z.unknown() }))
    .describe('What held before, and what holds now, of each setting that differs.'),
});

const TAGS = ['settings'];

/** The settings of the news, for owners. */
export function settingsOperations({ db, vocabulary: { settings } }: EditorParts) {
  type Own = Awaited<ReturnType<typeof settings.read>>;
  const answerOf = (own: Own) => ({ ...settings.shown(own), formerCategories: own.former });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getSettings',
      summary: 'Show the settings of the news: what holds, and whether the desk or the environment says it',
      response: { 200: settingsAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 503) },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: PRIVATE,
        load: async () => {
          const own = await settings.read(db);
          return { value: answerOf(own), own };
        },
      }),
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'changeSettings',
      summary: 'Change some settings of the news; null is what the environment gives',
      description:
        'Every replica and worker follows at once; reports that were published stay as they are, and so do the' +
        ' categories of items. 412 if somebody else has changed one since the `ETag` in `If-Match`; 422 for one' +
        ' that `NEWS_FIXED` names.',
      body: settingsPatch,
      responseHeaders: { 200: ['ETag'] },
      response: { 200: changedAnswer, ...problemResponses(400, 401, 403, 412, 413, 415, 422, 503) },
    },
    handler: async (request, reply) => {
      const { before, after } = await settings.change(db, request.body, writePrecondition(request));
      await settings.follow(db);
      const changed = changesOf(settings.shown(before), settings.shown(after));
      return reply
        .headers({ 'cache-control': PRIVATE, etag: writtenTag(after) })
        .send({ ...answerOf(after), changed });
    },
  });
  return { read, change };
}
