import { PRIVATE } from '@pressroom/common/caching/conditional';
import { Failure } from '@pressroom/common/failures/failure';
import {
  anyText,
  idParameter,
  integerParameter,
  onOneLine,
  requiredText,
  webUrl,
} from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { PICTURE_CODES } from '@pressroom/moving/pictures';
import { REASON_CODES } from '@pressroom/moving/reasons';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { type ArticlePictures, lookedAt } from '../articles/pictures.ts';
import { deletedAnswer } from '../articles/schema.ts';
import { cursorEnvelope, envelope, keyMember, keyOf, success, successCursorPage } from '../envelope.ts';
import { actorOf, logWrite, replyPrivately } from '../requests.ts';
import type { ContentTables } from '../tables.ts';
import type { ImportedPictures } from './imported-pictures.ts';
import {
  FORMATS,
  type FoundImport,
  type ImportStore,
  LATER_OPTIONS,
  MOST_BYTES,
  OUTCOMES,
  PART_BYTES,
  STATES,
} from './imports-store.ts';

const timestamp = z.iso.datetime({ offset: true });

const code = z.enum(REASON_CODES).describe('A stable name of the reason.');
const about = z.string().nullable().describe('What it concerns, such as the elements that were removed.');

const optionsShape = {
  author: onOneLine(requiredText(255)).nullish().describe('The author of articles that name none.'),
  site: webUrl(500).nullish().describe('The address that a site of Ghost had, which its export leaves out.'),
  clean: z
    .boolean()
    .default(true)
    .describe('Removes HTML that is not allowed, rather than refuse its article.'),
  short: z.boolean().default(true).describe('Takes articles with less than 50 characters of text.'),
  truncate: z.boolean().default(true).describe('Shortens texts that are too long.'),
  redirects: z
    .boolean()
    .default(true)
    .describe('Leads old addresses to the articles, if `CONTENT_SITE_URL` says where the site is.'),
  exact: z
    .boolean()
    .default(false)
    .describe(
      'Restores an export of this service (JSON Lines): ids, slugs and times are kept, and an article whose' +
        ' id or slug is taken is refused.',
    ),
  ignore: z
    .array(onOneLine(requiredText(100)), 'must be a list of names')
    .max(100, 'must have at most 100 names')
    .default([])
    .describe('Members of JSON Lines that are left out; a line with others that are unknown is refused.'),
  pictures: webUrl(250)
    .nullish()
    .describe(
      'Has the gallery take in the pictures of articles: the address at which readers get its media, such as' +
        ' https://desk.example. 409 `not_configured` without `DESK_KEY`.',
    ),
};

/** An import as answers show it. */
const shownImport = z
  .object({
    id: z.int(),
    name: z.string().describe('The name of the file.'),
    format: z.enum(FORMATS),
    size: z.int().describe('Bytes of the file.'),
    received: z.int().describe('Bytes of it that have come.'),
    part_size: z.int().describe('Bytes of each part but the last.'),
    has_file: z
      .boolean()
      .describe('False once the file is removed: seven days after anything happened to it.'),
    state: z
      .enum(STATES)
      .describe(
        '`checking`, `running` and `undoing` end by themselves, in the state after them or in `failed`.',
      ),
    failure: z
      .object({ at: z.enum(['checking', 'running', 'undoing']), code, about })
      .nullable()
      .describe('Why it failed, and at what; `interrupted` if processes that worked on it ended.'),
    options: z
      .object({
        author: z.string().nullable(),
        site: z.string().nullable(),
        clean: z.boolean(),
        short: z.boolean(),
        truncate: z.boolean(),
        redirects: z.boolean(),
        exact: z.boolean(),
        ignore: z.array(z.string()),
        pictures: z.string().nullable(),
      })
      .nullable()
      .describe('How the file was checked last; null before.'),
    progress: z
      .object({ done: z.int(), total: z.int().nullable() })
      .describe('Entries of the file that were read; `total` is null until they are counted.'),
    counts: z
      .object({
        created: z.int(),
        adapted: z.int(),
        known: z.int(),
        refused: z.int(),
        terms: z.int(),
        pictures: z.int(),
        pictures_failed: z.int(),
      })
      .describe(
        'Articles that are created as they were, or adapted; that are there already; that are refused.' +
          ' While it is checked, those that would be. `terms`: categories, tags and so on that the file lists.' +
          ' `pictures`: those that the gallery has taken in; of a check with `pictures`, the addresses found.' +
          ' `pictures_failed`: those that keep their address, as they could not be taken in.',
      ),
    left_out: z
      .array(z.object({ code, about, count: z.int() }))
      .describe('What stays out since it is no article, or no part of one here.'),
    undone: z
      .object({ removed: z.int(), changed: z.int(), gone: z.int() })
      .describe(
        'What an undo did: articles moved to the trash, left since somebody changed them, gone before.',
      ),
    key: keyMember,
    created_at: timestamp,
    changed_at: timestamp,
  })
  .meta({ id: 'Import' });

const shownEntry = z
  .object({
    number: z.int().describe('In the order of the file.'),
    outcome: z.enum(OUTCOMES),
    place: z.string().describe('Where it stands in the file, such as `line 7`.'),
    title: z.string().nullable(),
    article_id: z.int().nullable().describe('The article that was made, or is there already.'),
    reasons: z
      .array(z.object({ code, about, text: z.string().describe('The reason in English.') }))
      .describe('Why it is refused, or what is adapted.'),
  })
  .meta({ id: 'ImportEntry' });

const importPost = z.strictObject({
  name: onOneLine(requiredText(255)).describe('The name of the file.'),
  format: z.enum(FORMATS),
  size: z
    .int()
    .min(1)
    .max(MOST_BYTES, `must be at most ${MOST_BYTES}: larger files are for \`content import\``)
    .describe('Bytes of the file.'),
});

const partPut = z.strictObject({
  data: z
    .string()
    .max(Math.ceil(PART_BYTES / 3) * 4, `must be at most ${PART_BYTES} bytes in base64`)
    .refine((data) => /^[A-Za-z0-9+/]*={0,2}$/.test(data), 'must be base64')
    .describe('The bytes of the part, in base64 (RFC 4648, section 4).')
    .meta({ contentEncoding: 'base64' }),
});

const checkPost = z.strictObject(optionsShape).nullish();

const importPath = z.object({ id: idParameter().describe('The id of an import.') });
const partPath = importPath.extend({
  number: integerParameter(1, MOST_BYTES / PART_BYTES).describe('The place of the part in the file, from 1.'),
});

/** An id, or the number of an entry; 0 is before the first. */
const cursor = integerParameter(0, 2 ** 31 - 1).describe('`meta.next_cursor` of the page before.');

const listQuery = z.strictObject({
  per_page: integerParameter(1, 100).default(20),
  cursor: cursor.optional(),
});

const entriesQuery = z.strictObject({
  outcome: z.enum(OUTCOMES).optional().describe('Those with this outcome alone.'),
  per_page: integerParameter(1, 1000).default(100),
  cursor: cursor.optional(),
});

const TAGS = ['imports'];
const READ_PROBLEMS = problemResponses(400, 401, 403, 404, 429, 503);
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 413, 415, 422, 429, 503);

/** Pictures that the gallery works on. */
interface PictureParts {
  imported: ImportedPictures;
  ofArticles: ArticlePictures;
}

/**
 * The operations on imports.
 *
 * @param hasGallery true if there may be a gallery that takes pictures in
 */
export function importOperations(imports: ImportStore, pictures: PictureParts, hasGallery: boolean) {
  return {
    ...reads(imports),
    ...uploads(imports),
    ...works(imports, hasGallery),
    pictures: pictureOperation(pictures),
  };
}

function reads(imports: ImportStore) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listImports',
      summary: 'List the imports, the newest first',
      description: 'Those of the time for which deleted articles are kept.',
      querystring: listQuery,
      response: { 200: cursorEnvelope(shownImport, z.int()), ...NOT_MODIFIED, ...READ_PROBLEMS },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { per_page: perPage, cursor } = request.query;
        const found = await imports.list(perPage, cursor);
        const page = { cursorOf: ({ id }: FoundImport) => id, shown };
        return { value: successCursorPage('Imports found', found, perPage, page) };
      }),
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'readImport',
      summary: 'Say how far an import is, and what comes of it',
      description: 'Of a check, what would come. Ask again while `state` ends in `ing`; any replica knows.',
      params: importPath,
      response: { 200: envelope(shownImport), ...NOT_MODIFIED, ...READ_PROBLEMS },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => ({
        value: success('Import found', shown(await imports.read(request.params.id))),
      })),
  });
  const entries = operation({
    schema: {
      tags: TAGS,
      operationId: 'listImportEntries',
      summary: 'List what comes, or came, of each article of the file, and why',
      description: 'In the order of the file, the first 50,000. After a check, it is what would come.',
      params: importPath,
      querystring: entriesQuery,
      response: { 200: cursorEnvelope(shownEntry, z.int()), ...NOT_MODIFIED, ...READ_PROBLEMS },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { outcome, per_page: perPage, cursor = 0 } = request.query;
        const found = await imports.entries(request.params.id, outcome, perPage, cursor);
        const page = { cursorOf: ({ number }: EntryRow) => number, shown: shownOf };
        return { value: successCursorPage('Entries found', found, perPage, page) };
      }),
  });
  return { list, read, entries };
}

function uploads(imports: ImportStore) {
  const create = operation({
    schema: {
      tags: TAGS,
      operationId: 'createImport',
      summary: 'Begin an import: its file follows in parts, and is then checked',
      description: `Files have up to ${MOST_BYTES / 2 ** 20} MiB. 409 \`too_many_imports\` while those of others take all the room.`,
      body: importPost,
      response: { 201: envelope(shownImport), ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const made = await imports.create(request.body, actorOf(request));
      logWrite(request, 'import_created', { import: made.id });
      return reply
        .code(201)
        .headers({ 'cache-control': PRIVATE, location: `/api/imports/${made.id}` })
        .send(success('Import begun', shown(made)));
    },
  });
  const put = operation({
    schema: {
      tags: TAGS,
      operationId: 'putImportPart',
      summary: 'Send a part of the file',
      description:
        'In any order; sent again, it replaces itself. Each has `part_size` bytes, the last the rest.',
      params: partPath,
      body: partPut,
      response: { 200: envelope(shownImport), ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { id, number } = request.params;
      const bytes = Buffer.from(request.body.data, 'base64');
      const value = success('Part kept', shown(await imports.putPart(id, number, bytes)));
      return reply.header('cache-control', PRIVATE).send(value);
    },
  });
  const remove = operation({
    schema: {
      tags: TAGS,
      operationId: 'deleteImport',
      summary: 'Remove an import and its file; what is under way ends, and the articles that it made stay',
      description: 'It cannot be undone afterwards.',
      params: importPath,
      response: { 200: deletedAnswer, ...READ_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      await imports.remove(id);
      logWrite(request, 'import_deleted', { import: id });
      return reply.header('cache-control', PRIVATE).send(success('Import removed', null));
    },
  });
  return { create, put, remove };
}

const ASKED = { 202: envelope(shownImport), ...WRITE_PROBLEMS };

function works(imports: ImportStore, hasGallery: boolean) {
  const check = operation({
    schema: {
      tags: TAGS,
      operationId: 'checkImport',
      summary: 'Have the file checked: what would come of it, and why not the rest',
      description:
        'A dry run, which writes no article. It may be repeated with other options until it is run.',
      params: importPath,
      body: checkPost,
      response: ASKED,
    },
    handler: async (request, reply) => {
      const given = z.strictObject(optionsShape).parse(request.body ?? {});
      const { author = null, site = null, pictures = null, ...rest } = given;
      if (pictures !== null && !hasGallery)
        throw new Failure('conflict', 'pictures come along with a gallery at the desk: this takes DESK_KEY', {
          code: 'not_configured',
        });
      const asked = await imports.ask(request.params.id, 'checking', actorOf(request), {
        author,
        site,
        pictures,
        ...rest,
      });
      return reply
        .code(202)
        .header('cache-control', PRIVATE)
        .send(success('Check begun', shown(asked)));
    },
  });
  const run = operation({
    schema: {
      tags: TAGS,
      operationId: 'runImport',
      summary: 'Import what was checked, with its options',
      description: 'What is there already is not made twice. One that failed goes on where it stopped.',
      params: importPath,
      response: ASKED,
    },
    handler: async (request, reply) => {
      const asked = await imports.ask(request.params.id, 'running', actorOf(request));
      logWrite(request, 'import_updated', { import: asked.id });
      return reply
        .code(202)
        .header('cache-control', PRIVATE)
        .send(success('Import under way', shown(asked)));
    },
  });
  const undo = operation({
    schema: {
      tags: TAGS,
      operationId: 'undoImport',
      summary: 'Move the articles that an import made to the trash, unless somebody has changed them since',
      description:
        'With the redirects to them. Categories, tags and authors stay. `undone` says how many were left.',
      params: importPath,
      response: ASKED,
    },
    handler: async (request, reply) => {
      const asked = await imports.ask(request.params.id, 'undoing', actorOf(request));
      logWrite(request, 'import_updated', { import: asked.id });
      return reply
        .code(202)
        .header('cache-control', PRIVATE)
        .send(success('Undo under way', shown(asked)));
    },
  });
  return { check, run, undo };
}

const pictureKey = anyText().min(1, 'must not be empty').max(1024, 'must be at most 1024 characters long');

const pictureResult = z.union([
  z.strictObject({
    key: pictureKey,
    path: z
      .string()
      .max(2000)
      .regex(/^\/media\/[\w./%!~*'()-]+$/, 'must be a path such as /media/public/a.png')
      .describe('Where readers get it.'),
    bytes: z
      .int()
      .min(0)
      .max(2 ** 40)
      .describe('As many as were fetched.'),
  }),
  z.strictObject({ key: pictureKey, reason: z.enum(PICTURE_CODES) }),
  z.strictObject({ key: pictureKey, removed: z.literal(true) }),
]);

const picturesPost = z.strictObject({
  folder: anyText()
    .max(1024, 'must be at most 1024 characters long')
    .nullable()
    .describe('The public folder of the gallery; null without one, to which no import brings pictures.'),
  results: z
    .array(pictureResult, 'must be a list of results')
    .max(1000, 'must have at most 1000 results')
    .describe('What came of pictures; said again, it changes nothing.'),
  looks: z
    .array(lookedAt, 'must be a list of pictures')
    .max(100, 'must have at most 100 pictures')
    .default([])
    .describe('What pictures of articles are; said again, it changes nothing.'),
});

const pictureWork = z.object({
  wanted: z
    .array(z.object({ key: z.string(), url: z.string() }))
    .describe(
      'Pictures to take in at `key` in the folder; they are handed out again if nothing is heard of them.',
    ),
  unnamed: z
    .array(z.object({ key: z.string(), file: z.string() }))
    .describe('Files to remove, since nothing names them after an undo.'),
  more: z.boolean().describe('True while an import runs that may want more.'),
  undescribed: z
    .array(z.string())
    .describe('Pictures of articles to look at; they are handed out again if nothing is heard of them.'),
  outdated: z.array(z.string()).describe('Those to look at again, as there is time.'),
});

function pictureOperation({ imported, ofArticles }: PictureParts) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'workOnImportPictures',
      summary: 'Say what came of pictures of imports and what articles show, and get the next ones',
      description:
        'For the gallery, which has the store: it fetches pictures of running imports, removes those of' +
        ' undone ones that no article names any more, and describes those that articles have as their own.',
      body: picturesPost,
      response: { 200: envelope(pictureWork), ...WRITE_PROBLEMS },
    },
    handler: async ({ body: { folder, results, looks } }, reply) => {
      const work = await imported.work(folder, results);
      const described = await ofArticles.work(looks);
      return reply
        .header('cache-control', PRIVATE)
        .send(success('Pictures found', { ...work, ...described }));
    },
  });
}

type EntryRow = Selectable<ContentTables['content.import_entry']>;

function shownOf({ import_id: _, ...entry }: EntryRow) {
  return entry;
}

const NONE = { created: 0, adapted: 0, known: 0, refused: 0 };

function shown(row: FoundImport): z.infer<typeof shownImport> {
  const { id, name, format, size, received, has_file, state, failure, counts, undone, actor } = row;
  const { outcomes = NONE, terms = 0, left_out = [], done = 0, total = null } = counts;
  const pictures = counts.pictures ?? row.pictures;
  return {
    ...{
      id,
      name,
      format,
      size,
      received,
      part_size: PART_BYTES,
      has_file,
      state,
      failure,
      left_out,
      undone,
    },
    options: 'clean' in row.options ? { ...LATER_OPTIONS, ...row.options } : null,
    progress: { done, total },
    counts: { ...outcomes, terms, pictures, pictures_failed: row.pictures_failed },
    key: keyOf(actor.key, null),
    created_at: row.created_at.toISOString(),
    changed_at: row.changed_at.toISOString(),
  };
}
