import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { converse } from './conversation.ts';

test('a connection that the server resets is closed', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const heard = await converse(url, { pieces: ['GET / HTTP/1.1\r\n\r\n'], patienceMs: 60_000 });
    expect(heard).toMatchObject({ statuses: [], closed: true, rest: '' });
  } finally {
    server.close();
  }
});
