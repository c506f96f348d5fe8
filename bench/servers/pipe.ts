/** The bare proxy: `node:http` that pipes the answer that undici gets from the URL in `TARGET`. */
import { createServer } from 'node:http';
import { pipeline } from 'node:stream';
import { Agent } from 'undici';

const target = new URL(process.env.TARGET ?? '');
const agent = new Agent({ allowH2: false });

const server = createServer(async (request, response) => {
  if (request.url === '/ready') {
    response.end();
    return;
  }
  const { statusCode, headers, body } = await agent.request({
    origin: target.origin,
    path: target.pathname,
    method: 'GET',
  });
  response.writeHead(statusCode, {
    'content-type': String(headers['content-type']),
    'content-length': String(headers['content-length']),
  });
  pipeline(body, response, () => undefined);
});
server.listen(Number(process.env.PORT), '127.0.0.1');
