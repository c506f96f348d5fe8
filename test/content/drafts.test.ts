import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody, CONTENT } from '../support/content-client.ts';
import type { Answer } from '../support/http.ts';

const SOON = new Date(Date.now() + 86_400_000).toISOString();

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture();
});
afterAll(() => content.close());

const refusal = ({ status, body }: Answer) => [
  status,
  body.code,
  body.errors?.map(({ field, code }: { field: string; code: string }) => `${field}: ${code}`),
];
const SHORT = [422, 'validation_failed', ['content: too_short']];
const UNTITLED = [422, 'validation_failed', ['title: required']];

/** Creates a draft as the desk does, and returns its id. */
async function draft(body: object): Promise<number> {
  const { status, text, body: answer } = await content.client.post('/api/drafts', body);
  expect(status, text).toBe(201);
  return answer.data.id;
}

const patch = (id: number, body: object) => content.client.patch(`/api/articles/${id}`, body);
const write = (id: number, body: object) => content.client.patch(`/api/drafts/${id}`, body);
const read = async (id: number) => (await content.client.send(`/api/articles/${id}`)).body.data;

describe('a draft', () => {
  test('is kept with three characters and without a title, and changed to less', async () => {
    const id = await draft({ title: '', content: '<p>abc</p>' });
    expect(await read(id)).toMatchObject({ title: '', content: '<p>abc</p>', is_published: false });
    expect((await write(id, { title: 'Now', content: '' })).body.data).toMatchObject({
      title: 'Now',
      slug: 'now',
    });
    expect((await write(id, { title: ' \n ', excerpt: 'Why' })).status).toBe(422);
    expect((await write(id, { title: '  ', excerpt: 'Why' })).body.data).toMatchObject({ title: '' });
    expect(await read(id)).toMatchObject({ title: '', content: '', excerpt: 'Why' });
  });

  test('that is too short is published neither now, nor at a time, nor with a release', async () => {
    const id = await draft({ title: 'Short', content: '<p>abc</p>' });
    await content.client.put('/api/releases/together', { publish_at: null });
    for (const body of [{ is_published: true }, { publish_at: SOON }, { release: 'together' }])
      expect(refusal(await patch(id, body))).toEqual(SHORT);
    await write(id, { content: CONTENT });
    expect((await patch(id, { is_published: true })).status).toBe(200);
  });

  test('without a title is not published either', async () => {
    const id = await draft({ title: '', content: CONTENT });
    for (const body of [{ is_published: true }, { publish_at: SOON }])
      expect(refusal(await patch(id, body))).toEqual(UNTITLED);
    expect((await patch(id, { title: 'With one', is_published: true })).status).toBe(200);
  });

  test('that is planned stays long enough, and what is published is no draft', async () => {
    const { body } = await content.client.post('/api/articles', articleBody({ publish_at: SOON }));
    const { id } = body.data;
    expect(refusal(await write(id, { content: 'abc' }))).toEqual(SHORT);
    expect(refusal(await write(id, { title: '' }))).toEqual(UNTITLED);
    expect((await write(id, { title: 'Another' })).status).toBe(200);
    await patch(id, { is_published: true });
    expect(refusal(await write(id, { title: 'Too late' })).slice(0, 2)).toEqual([409, 'already_published']);
  });

  test('is not published, and has only members of articles', async () => {
    const body = { title: 'Short', content: 'abc' };
    for (const more of [{ is_published: true }, { publish_at: SOON }, { is_short: false }])
      expect((await content.client.post('/api/drafts', { ...body, ...more })).status).toBe(422);
    const unsafe = await content.client.post('/api/drafts', {
      ...body,
      content: '<script>a</script>',
    });
    expect(unsafe.body.code).toBe('unsafe_html');
  });

  test('is the same one, however often it is sent', async () => {
    const send = () =>
      content.client.send('/api/drafts', {
        method: 'POST',
        json: { title: '', content: '' },
        headers: { 'idempotency-key': 'once' },
      });
    const first = await send();
    const again = await send();
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('gets back what it said when it was short, until readers see it', async () => {
    const id = await draft({ title: 'Grows', content: '<p>abc</p>' });
    await write(id, { content: CONTENT });
    const restore = () => content.client.send(`/api/articles/${id}/revisions/1/restore`, { method: 'POST' });
    expect((await restore()).status).toBe(200);
    expect(refusal(await patch(id, { is_published: true }))).toEqual(SHORT);
    await patch(id, { content: CONTENT, is_published: true });
    expect(refusal(await restore())).toEqual(SHORT);
  });

  test('is deleted and brought back as short as it was', async () => {
    const id = await draft({ title: '', content: '<p>abc</p>' });
    await content.client.delete(`/api/articles/${id}`);
    await content.client.send(`/api/articles/${id}/restore`, { method: 'POST' });
    expect(await read(id)).toMatchObject({ title: '', content: '<p>abc</p>' });
    expect((await patch(id, { is_published: true })).status).toBe(422);
  });
});
