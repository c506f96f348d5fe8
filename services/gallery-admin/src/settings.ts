import {
  PRIVATE,
  replyConditionally,
  writePrecondition,
  writtenTag,
} from '@pressroom/common/caching/conditional';
import { MAIL_CODES } from '@pressroom/common/failures/failure';
import { onOneLine, requiredText, text } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isPublicPrefix } from './media/public-prefixes.ts';
import { folderPrefix } from './names.ts';
import { type MailServer, mailFault, sendTest } from './people/mail.ts';
import { personEmail } from './people/people.ts';
import { logWrite, problemResponses } from './problems.ts';
import type { GallerySettings, ShownSettings } from './settings-store.ts';

const MOST_FOLDERS = 100;

const folder = requiredText(1024)
  .transform((value) => folderPrefix(value.trim()))
  .refine(isPublicPrefix, 'must be a folder of the bucket, such as public/ or press/2026/');

const server = text(500).refine(
  isMailServer,
  'must be an address of the form smtp://HOST:PORT or smtps://HOST, without user and password',
);

const mailInput = z.strictObject({
  server,
  user: onOneLine(requiredText(200)).nullable(),
  password: onOneLine(requiredText(500))
    .optional()
    .describe('Never shown. Absent: as it was, for the same server and user.'),
  from: personEmail.describe('The address that mail comes from.'),
});

/** With null, the environment's value holds again. */
const settingsChange = z
  .strictObject({
    publicFolders: z.array(folder).max(MOST_FOLDERS, `must be at most ${MOST_FOLDERS} folders`).nullable(),
    mail: mailInput.nullable(),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'must have at least one member')
  .meta({ minProperties: 1 });

function setting<Value extends z.ZodType>(value: Value) {
  return z.object({
    value: value.describe('What holds.'),
    made: value.nullable().describe('What was set at the desk; null if nothing was.'),
    environment: value.describe('What holds where nothing was set at the desk.'),
    variable: z.string().describe("The environment's name for it."),
    isFixed: z
      .boolean()
      .describe('True if `GALLERY_FIXED` names it: the environment holds, and the desk cannot.'),
  });
}

const shownMail = z
  .object({ server: z.string(), user: z.string().nullable(), from: z.string(), hasPassword: z.boolean() })
  .meta({ id: 'MailServer' });

const settingsAnswer = z.object({
  success: z.literal(true),
  data: z
    .object({
      publicFolders: setting(z.array(z.string())),
      mail: setting(shownMail.nullable()),
    })
    .meta({ id: 'GallerySettings' }),
});

const testAnswer = z.object({
  success: z.boolean(),
  code: z.enum(MAIL_CODES).nullable().describe('What to mend; null if the server has taken the mail.'),
});

interface SettingsParts {
  settings: GallerySettings;
  /** Called after each commit: this replica must not follow anything that it read before. */
  changed: () => void;
}

const TAGS = ['settings'];

/** The settings of the gallery, for owners: an addition to `docs/spec/gallery-admin.md`. */
export function settingsOperations({ settings, changed }: SettingsParts) {
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getSettings',
      summary:
        'Show public folders and the mail server: what holds, and whether the desk or the environment says it',
      description: 'The password of the mail server is not shown. For owners.',
      response: { 200: settingsAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 503) },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: PRIVATE,
        load: async () => {
          const { settings: data, own } = await settings.read();
          return { value: { success: true as const, data }, own };
        },
      }),
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'updateSettings',
      summary: 'Change public folders or the mail server; null is what the environment gives',
      description:
        'Every replica follows at once. 412 if somebody else has changed one since the `ETag` in `If-Match`; 400' +
        ' for one that `GALLERY_FIXED` names.',
      body: settingsChange,
      responseHeaders: { 200: ['ETag'] },
      response: { 200: settingsAnswer, ...problemResponses(400, 401, 403, 412, 413, 415, 503) },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const { before, settings: data, own } = await settings.change(body, writePrecondition(request));
      changed();
      logWrite(request, 'settings_changed', changesOf(before, data, body.mail?.password !== undefined));
      return reply
        .headers({ 'cache-control': PRIVATE, etag: writtenTag(own) })
        .send({ success: true as const, data });
    },
  });
  const test = operation({
    schema: {
      tags: TAGS,
      operationId: 'testMail',
      summary: 'Send a test mail by the mail server that holds, or by another before it is saved',
      description: 'Answers with 200 also if the server does not take it: `code` says why.',
      body: z.strictObject({ to: personEmail, mail: mailInput.optional() }),
      response: { 200: testAnswer, ...problemResponses(400, 401, 403, 413, 415, 503) },
    },
    handler: async (request) => {
      const { to, mail } = request.body;
      const by = mail === undefined ? (await settings.current()).mail : await settings.mailServerOf(mail);
      const code = by === undefined ? ('mail_not_set' as const) : await faultOf(by, to, request);
      logWrite(request, 'mail_tested', { to, code });
      return { success: code === null, code };
    },
  });
  return { read, change, test };
}

async function faultOf(
  by: MailServer,
  to: string,
  { headers, log }: Pick<FastifyRequest, 'headers' | 'log'>,
) {
  try {
    await sendTest(by, to, headers['accept-language']);
    return null;
  } catch (error) {
    log.warn({ err: error }, 'mail_test_failed');
    return mailFault(error);
  }
}

/** What the trail says: each setting before and after, and that a password was given, never which. */
function changesOf(before: ShownSettings, after: ShownSettings, hasNewPassword: boolean): object {
  const names = ['publicFolders', 'mail'] as const;
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const changes = changed.map((name) => [name, { before: before[name].value, after: after[name].value }]);
  return { ...Object.fromEntries(changes), ...(hasNewPassword && { mailPassword: 'given' }) };
}

function isMailServer(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return false;
  return url.username + url.password + url.search + url.hash === '' && /^\/?$/.test(url.pathname);
}
