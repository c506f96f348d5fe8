import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { putAll } from '../support/s3/objects.ts';
import { until } from '../support/until.ts';

let gallery: GalleryFixture;
beforeAll(async () => {
  gallery = await galleryFixture();
});
afterAll(() => gallery?.close());

const logged = (name: string) => gallery.log.events().filter(({ msg }) => msg === name);

test('each change of objects is logged with its request, its objects and its extent', async () => {
  await putAll(gallery.s3, gallery.bucket, ['a/1.jpg', 'a/2.jpg', 'a/3.jpg', 'a/4.jpg']);
  const post = (path: string, json: object) => gallery.post(`/api/${path}`, json);
  const upload = { filename: 'x.jpg', path: 'a', contentType: 'image/jpeg' };
  await post('upload', upload);
  await post('upload/sign', { method: 'PUT', key: 'a/y.jpg', contentType: 'image/jpeg' });
  const { data } = (await post('upload/multipart', { action: 'create', size: 1, ...upload })).body;
  await post('upload/multipart', { action: 'abort', key: data.key, uploadId: data.uploadId });
  await post('gallery/folder', { path: 'b' });
  await post('gallery/batch', { action: 'copy', paths: ['a/1.jpg', 'a/2.jpg'], dest: 'b' });
  await post('gallery/rename', { path: 'a/1.jpg', name: 'one.jpg' });
  await post('gallery/delete', { path: 'a/2.jpg', type: 'image' });
  const move = { action: 'move', paths: ['a/3.jpg'], dest: 'b', background: true };
  const { batch } = (await post('gallery/batch', move)).body;
  await until('the batch has ended', async () => logged('batch_ended').length > 0);
  // Requests that change nothing, and refused ones, are not logged as changes.
  await post('gallery/folder', { path: 'b' });
  await post('gallery/batch', { action: 'copy', paths: ['a/4.jpg', 'none'], dest: 'b' });

  expect(logged('upload_signed').map(({ key }) => key)).toEqual(['a/x.jpg', 'a/y.jpg']);
  expect(logged('upload_created')).toMatchObject([{ key: 'a/x.jpg' }]);
  expect(logged('upload_aborted')).toMatchObject([{ key: 'a/x.jpg' }]);
  expect(logged('folder_created')).toMatchObject([{ path: 'b/', requestId: expect.any(String) }]);
  expect(logged('objects_changed')).toMatchObject([
    { action: 'copy', paths: ['a/1.jpg', 'a/2.jpg'], pathCount: 2, dest: 'b/', affected: 2 },
    { action: 'rename', paths: ['a/1.jpg'], name: 'one.jpg', affected: 1 },
    { action: 'delete', paths: ['a/2.jpg'], affected: 1 },
  ]);
  for (const { requestId } of logged('objects_changed')) expect(requestId).toEqual(expect.any(String));
  expect(logged('batch_started')).toMatchObject([{ batch: batch.id, requestId: expect.any(String) }]);
  expect(logged('batch_ended')).toMatchObject([
    { batch: batch.id, action: 'move', paths: ['a/3.jpg'], dest: 'b/', affected: 1 },
  ]);
});
