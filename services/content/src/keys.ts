import { PRIVATE } from '@pressroom/common/caching/conditional';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import { idMember, onOneLine, requiredText } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { z } from 'zod';
import { type ApiKeyStore, type ListedKey, SCOPES } from './api-keys.ts';
import { timeFaults } from './articles/publication.ts';
import { timeAhead } from './articles/schema.ts';
import { envelope, success } from './envelope.ts';
import { actorOf, logWrite, refuseCategory, replyPrivately } from './requests.ts';

const timestamp = z.iso.datetime({ offset: true });

const apiKey = z.object({
  prefix: z.string().describe('The 8 characters after `pk_`, which name it in lists and in the trail.'),
  name: z.string(),
  scope: z.enum(SCOPES),
  category_id: z.int().nullable().describe('The only category whose articles it may write.'),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
  last_used_at: timestamp.nullable().describe('To the minute.'),
});

const madeKey = apiKey.extend({ key: z.string().describe('The key, which is not shown again.') });

const keyBody = z.strictObject({
  name: onOneLine(requiredText(255)).describe(
    'The purpose of the key; histories name it as the author of its writes.',
  ),
  scope: z.enum(SCOPES),
  category_id: idMember('must be the id of a category')
    .nullable()
    .optional()
    .describe('The only category whose articles it may write, with the scope `write` or `publish`.'),
  expires_at: timeAhead.optional(),
});

const keyPath = z.object({
  prefix: z.string().regex(/^[A-Za-z0-9]{8}$/, 'must be the 8 characters after pk_'),
});

const FOR_ONE_CATEGORY = 'only a key that writes or publishes can be for one category';

const NO_KEY = 'For owners at the desk: no API key opens it, so that none makes one that outlives it.';

const TAGS = ['keys'];

/** The operations on API keys, for owners at the desk. */
export function keyOperations(keys: ApiKeyStore) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listKeys',
      summary: 'List the API keys, newest first, also those that were revoked',
      description: NO_KEY,
      response: {
        200: envelope(z.array(apiKey)),
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => ({
        value: success('Keys found', (await keys.list()).map(shown)),
      })),
  });
  const create = operation({
    schema: {
      tags: TAGS,
      operationId: 'createKey',
      summary: 'Make an API key; the answer is the only one that has it',
      description: NO_KEY,
      body: keyBody,
      response: { 201: envelope(madeKey), ...problemResponses(400, 401, 403, 413, 415, 422, 429, 503) },
    },
    handler: async (request, reply) => {
      const { category_id = null, expires_at, ...purpose } = request.body;
      const faults = timeFaults('expires_at', expires_at, new Date());
      if (category_id !== null && purpose.scope !== 'write' && purpose.scope !== 'publish')
        faults.push({ field: 'category_id', code: 'invalid_value', message: FOR_ONE_CATEGORY });
      if (faults.length > 0) throw invalid(faults);
      const { key, ...made } = await keys
        .create({ ...purpose, category_id, expires_at: expires_at ?? null }, actorOf(request))
        .catch(refuseCategory);
      logWrite(request, 'api_key_created', { api_key: made.prefix });
      const value = success('Key created', { ...shown(made), key });
      return reply.code(201).header('cache-control', PRIVATE).send(value);
    },
  });
  const revoke = operation({
    schema: {
      tags: TAGS,
      operationId: 'revokeKey',
      summary: 'Revoke an API key for good; it stops working within 5 seconds',
      description: NO_KEY,
      params: keyPath,
      response: { 200: envelope(z.null()), ...problemResponses(400, 401, 403, 404, 429, 503) },
    },
    handler: async (request, reply) => {
      const { prefix } = request.params;
      if (!(await keys.revoke(prefix, actorOf(request))))
        throw new Failure('missing', `no key in use begins with pk_${prefix}`);
      logWrite(request, 'api_key_deleted', { api_key: prefix });
      return reply.header('cache-control', PRIVATE).send(success('Key revoked', null));
    },
  });
  return { list, create, revoke };
}

function shown({ created_at, expires_at, revoked_at, last_used_at, ...key }: ListedKey) {
  return {
    ...key,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
    revoked_at: revoked_at?.toISOString() ?? null,
    last_used_at: last_used_at?.toISOString() ?? null,
  };
}
