import { Readable } from 'node:stream';
import { operation } from '@pressroom/common/http/operation';
import { notFound } from '@pressroom/common/problems/problem';
import type { FastifyReply } from 'fastify';
import type { BucketSource } from '../buckets/bucket.ts';
import type { OriginalDates } from '../listing/original-dates.ts';
import { attachment } from '../listing/signed-urls.ts';
import { problemResponses } from '../problems.ts';
import { goneSignal } from '../proxy/routes.ts';
import { archiveContent } from './entries.ts';
import { archiveAnswer, archiveBody, archiveFile, archivePath } from './schema.ts';
import type { ArchiveStore } from './store.ts';
import { zipLength, zipOf } from './zip.ts';

const TAGS = ['gallery'];

/** Downloads of many files as one: an addition to `docs/spec/gallery-admin.md`, "Endpoints". */
export function archiveOperations(buckets: BucketSource, archives: ArchiveStore, dates: OriginalDates) {
  return { create: createOperation(buckets, archives), read: readOperation(buckets, archives, dates) };
}

function createOperation(buckets: BucketSource, archives: ArchiveStore) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'createArchive',
      summary: 'Choose files and folders to download as one zip',
      body: archiveBody,
      response: { 200: archiveAnswer, ...problemResponses(400, 401, 403, 413, 415, 500, 503) },
    },
    handler: async ({ body: { paths } }) => {
      const bucket = await buckets.current();
      const { entries } = await archiveContent(bucket, paths);
      const files = entries.filter(({ name }) => !name.endsWith('/'));
      const size = files.reduce((sum, { object }) => sum + object.size, 0);
      const id = await archives.create(bucket, paths);
      return { success: true as const, data: { id, files: files.length, size } };
    },
  });
}

function readOperation(buckets: BucketSource, archives: ArchiveStore, dates: OriginalDates) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'readArchive',
      summary: 'Download the chosen files as a zip',
      description:
        'The files as they are now, uncompressed, as they arrive from the store. If one of them changes' +
        ' meanwhile, the connection breaks, so that the archive is not mistaken for complete.',
      params: archivePath,
      response: { 200: archiveFile, ...problemResponses(400, 401, 404, 500, 503) },
    },
    handler: async ({ method, params: { id } }, reply) => {
      const signal = goneSignal(reply);
      const bucket = await buckets.current();
      const paths = await archives.find(bucket, id);
      if (paths === undefined) throw notFound('no such archive, or not any longer; choose the files again');
      const { about, entries } = await archiveContent(bucket, paths);
      const modified = await dates.of(
        bucket,
        entries.map(({ object }) => object),
      );
      const dated = entries.map(({ name, object }, index) => ({
        name,
        object: { ...object, lastModified: modified[index] ?? object.lastModified },
      }));
      const name = `${about.replace(/\/$/, '') || bucket.name}.zip`;
      reply.headers({ 'content-disposition': attachment(name), 'content-length': String(zipLength(dated)) });
      // Fastify would read the body of a HEAD to its end.
      return send(reply, method === 'HEAD' ? Readable.from([]) : zipOf(bucket, dated, signal));
    },
  });
}

function send(reply: FastifyReply, body: Readable) {
  return reply.type('application/zip').send(body);
}
