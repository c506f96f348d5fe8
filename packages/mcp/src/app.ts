import type { IncomingHttpHeaders } from 'node:http';
import { createMcpHandler, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import { createServer } from '@pressroom/common/http/create-server';
import type { Server } from '@pressroom/common/http/operation';
import { addressKey, limitRate } from '@pressroom/common/http/rate-limit';
import type { Logger } from '@pressroom/common/log/logging';
import { forbidden, type Problem } from '@pressroom/common/problems/problem';
import { VERSION } from '@pressroom/common/start/version';
import type { McpHttpConfig } from './config.ts';
import { createMcpServer } from './server.ts';
import { type Caller, openServices } from './tool.ts';

const PATH = '/mcp';

/** Largest body, in bytes: the longest content and its wrapping. */
const BODY_LIMIT = 3 * 2 ** 20;

/**
 * Builds the server over streamable HTTP. It keeps nothing between requests: each is answered with the key
 * that it carries, and there are no sessions and no open streams to run out of.
 */
export async function buildApp(config: McpHttpConfig, log: Logger): Promise<Server> {
  const app = await createServer({
    config,
    description: {
      title: 'Pressroom MCP',
      version: VERSION,
      description: `A server of the Model Context Protocol at ${PATH}, over streamable HTTP.`,
    },
    log,
    bodyLimit: BODY_LIMIT,
    readiness: {},
    limit: (server) =>
      limitRate(server, {
        service: 'mcp',
        config,
        allowance: (request) => ({ key: addressKey(request), max: config.MCP_RATE_LIMIT }),
      }),
  });
  const handler = createMcpHandler(
    ({ requestInfo }) => createMcpServer(openServices(config, callerOf(requestInfo?.headers))),
    { maxSubscriptions: 0 },
  );
  app.addHook('onClose', () => handler.close());
  app.post(
    PATH,
    {
      schema: { hide: true },
      onRequest: ({ headers }, _reply, done) => done(rebound(headers, config.MCP_ALLOWED_HOSTS)),
    },
    async (request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const headers = new Headers({ 'content-type': 'application/json', [ADDRESS]: request.ip });
      for (const name of PASSED_ON) {
        const value = request.headers[name];
        if (value !== undefined) headers.set(name, String(value));
      }
      const asked = new Request(`http://localhost${PATH}`, { method: 'POST', headers, signal: gone.signal });
      return handler.fetch(asked, { parsedBody: request.body });
    },
  );
  return app;
}

/** The header in which the caller's address goes to the services. */
const ADDRESS = 'x-forwarded-for';

/** Headers of a request that the protocol and content look at. */
const PASSED_ON = [
  'accept',
  'authorization',
  'x-api-key',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
];

/** 403 for a name that is not the server's own: a page elsewhere has it lead here (DNS rebinding). */
function rebound({ host, origin }: IncomingHttpHeaders, allowed: readonly string[]): Problem | undefined {
  const names = allowed.map((name) => (name.includes(':') ? `[${name}]` : name));
  for (const judged of [validateHostHeader(host, names), validateOriginHeader(origin, names)]) {
    if (!judged.ok)
      return forbidden(`${judged.message}: add the name to MCP_ALLOWED_HOSTS if it is this server's`);
  }
  return undefined;
}

/** Whoever sends a request, with the key that they send. */
function callerOf(headers = new Headers()): Caller {
  const [given, bearer, address] = ['x-api-key', 'authorization', ADDRESS].map((name) => headers.get(name));
  const key = given ? { 'x-api-key': given } : bearer ? { authorization: bearer } : undefined;
  return { key, ...(address && { address }) };
}
