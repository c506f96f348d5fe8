import { invalid } from '@pressroom/common/failures/failure';
import { NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import { type ArticleRules, articleFaults } from '../articles/article-faults.ts';
import { type ArticleChange, articlePath, revisedArticle } from '../articles/schema.ts';
import type { ArticleStore } from '../articles/store.ts';
import { subjectsOfChange } from '../articles/subjects.ts';
import { refuseFaults } from '../check-body.ts';
import { success, successCursorPage } from '../envelope.ts';
import { replyPrivately } from '../reading.ts';
import { membersOfJson } from '../row-as-json.ts';
import { writerOf } from '../writer.ts';
import { tellOfWrite, writtenHeaders } from '../writing.ts';
import { keyOf } from '../written-by.ts';
import {
  revisionAnswer,
  revisionListAnswer,
  revisionListQuery,
  revisionPath,
  revisionRestore,
  revisionRestoredAnswer,
} from './schema.ts';
import type { Revision, RevisionStore, WholeRevision } from './store.ts';

/** The dependencies of the operations on revisions. */
interface RevisionParts {
  revisions: RevisionStore;
  articles: ArticleStore;
  /** What revisions are checked by before they are restored. */
  rules: ArticleRules;
  /** See `ArticleParts`. */
  changed: (subjects?: ReadonlySet<string>) => void;
}

const TAGS = ['revisions'];

/** What an article says, not whether and where it is shown: what a restore brings back. */
const RESTORED = revisedArticle.omit({ is_published: true, slug: true, published_at: true });

/** The operations on the revisions of articles. */
export function revisionOperations({ revisions, articles, rules, changed }: RevisionParts) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listRevisions',
      summary: 'List the revisions of an article, the newest first, which is the article as it is',
      params: articlePath,
      querystring: revisionListQuery,
      response: {
        200: revisionListAnswer,
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 404, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { per_page: perPage, cursor } = request.query;
        const found = await revisions.list(request.params.id, perPage, cursor);
        const page = { cursorOf: ({ revision }: Revision) => revision, shown: entry };
        return { value: successCursorPage('Revisions found', found, perPage, page), subjects: [] };
      }),
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getRevision',
      summary: 'Read a revision of an article, whole',
      params: revisionPath,
      response: { 200: revisionAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 404, 429, 503) },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const found = await revisions.read(request.params.id, request.params.revision);
        const value = success('Revision found', { ...entry(found), article: articleOf(found) });
        return { value, subjects: [] };
      }),
  });
  const restore = operation({
    schema: {
      tags: TAGS,
      operationId: 'restoreRevision',
      summary: 'Make an article say what it said in a revision',
      description:
        'All members but `is_published` and `slug`, and those that the body gives in their place; a new revision,' +
        ' unless the article says all of it already. The HTML and `extra` have to be allowed today. Returns what a PATCH does.',
      params: revisionPath,
      responseHeaders: { 200: ['ETag'] },
      body: revisionRestore,
      response: {
        200: revisionRestoredAnswer,
        ...problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503),
      },
    },
    handler: async (request, reply) => {
      const { id, revision } = request.params;
      const body = restored(await revisions.read(id, revision), request.body ?? {});
      const writer = writerOf(request, body);
      refuseFaults(await articleFaults(rules, body, writer.actor.key));
      const { changes, own, place } = await articles.update(id, body, writer);
      changed(subjectsOfChange(place));
      tellOfWrite(request, 'article_updated', { article: id });
      return reply.headers(writtenHeaders(own)).send(success('Revision restored', changes));
    },
  });
  return { list, read, restore };
}

function entry({ revision, created_at, created_by, key_name, changed }: Revision) {
  return {
    revision,
    created_at: created_at.toISOString(),
    key: keyOf(created_by, key_name),
    // The column of a member with several values has their ids.
    changed: changed?.map((column) => column.replace(/^(\w+)_ids$/, '$1s')).sort() ?? null,
  };
}

/** The article of a revision as it is shown. */
function articleOf({ members, content, tags, authors }: WholeRevision) {
  const known = { tags: tags.filter(exists), authors: authors.filter(exists) };
  return revisedArticle.parse({ ...membersOfJson(members), content, ...known });
}

function exists(slug: string | null): slug is string {
  return slug !== null;
}

/**
 * What an article is changed to by a restore.
 *
 * @throws Failure `invalid` if the revision has tags or authors that do not exist any more, and `others` none
 */
function restored(revision: WholeRevision, others: ArticleChange) {
  const faults = (['tags', 'authors'] as const).flatMap((field) => {
    if (others[field] !== undefined || revision[field].every(exists)) return [];
    const message = `some ${field} of this revision do not exist any more; give those that the article shall have`;
    return [{ field, code: 'not_found', message }];
  });
  if (faults.length > 0) throw invalid(faults);
  return { ...RESTORED.parse(articleOf(revision)), ...others };
}
