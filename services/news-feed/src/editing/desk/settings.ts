import {
  PRIVATE,
  replyConditionally,
  writePrecondition,
  writtenTag,
} from '@pressroom/common/caching/conditional';
import { isTimeZone } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { z } from 'zod';
import type { EditorParts } from './editors.ts';

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
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have at least one member',
    params: { code: 'required' },
  })
  .meta({ minProperties: 1 });

function setting<Value extends z.ZodType>(value: Value) {
  return z.object({
    value: value.describe('What holds.'),
    made: value.nullable().describe('What was set at the desk.'),
    environment: value.describe('What holds where nothing was set at the desk.'),
    variable: z.string().describe("The environment's name for it."),
    isFixed: z
      .boolean()
      .describe('True if `NEWS_FIXED` names it: the environment holds, and the desk cannot.'),
  });
}

const settingsAnswer = z.object({ reportZone: setting(z.string()), reportHour: setting(z.int()) });

const TAGS = ['settings'];

/** The settings of the news, for owners. */
export function settingsOperations({ db, vocabulary: { settings } }: EditorParts) {
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
          return { value: settings.shown(own), own };
        },
      }),
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'changeSettings',
      summary: 'Change some settings of the news; null is what the environment gives',
      description:
        'Every replica and worker follows at once; reports that were published stay as they are. 412 if somebody' +
        ' else has changed one since the `ETag` in `If-Match`; 422 for one that `NEWS_FIXED` names.',
      body: settingsPatch,
      responseHeaders: { 200: ['ETag'] },
      response: { 200: settingsAnswer, ...problemResponses(400, 401, 403, 412, 413, 415, 422, 503) },
    },
    handler: async (request, reply) => {
      const own = await settings.change(db, request.body, writePrecondition(request));
      await settings.follow(db);
      return reply.headers({ 'cache-control': PRIVATE, etag: writtenTag(own) }).send(settings.shown(own));
    },
  });
  return { read, change };
}
