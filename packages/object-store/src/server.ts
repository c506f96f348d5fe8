import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { corsHeaders, preflight } from './cors.ts';
import { Payload } from './payload.ts';
import { parseRequest, type S3Request, withHoistedHeaders } from './request.ts';
import { errorResponse, S3Error, type S3Response, send } from './response.ts';
import { findOperation } from './router.ts';
import { authenticate, type Credentials } from './signature.ts';
import { Storage } from './storage.ts';

/** The store's folder and its credentials. */
export interface ObjectStoreOptions {
  /** A directory for it alone, made when it is not there. */
  dataDir: string;
  /** TCP port; 0 takes a free one. */
  port: number;
  /** Address to listen on, `127.0.0.1` by default. */
  host?: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The answer of GetBucketLocation, `us-east-1` by default. Signatures may name any region. */
  region?: string;
  /** Takes a line for people, standard error by default. */
  log?(message: string): void;
}

export interface ObjectStore {
  /** `http://127.0.0.1:4010`, what a client takes as its endpoint. Buckets are addressed by path. */
  endpoint: string;
  port: number;
  /** Finishes running requests, for 10 s at most, and releases the directory. */
  close(): Promise<void>;
}

const IDLE_CONNECTION_MS = 65_000;
const STALLED_CONNECTION_MS = 5 * 60_000;
const CLOSE_GRACE_MS = 10_000;

/**
 * Starts an S3 server for a first look and for tests. It keeps objects as files, checks signatures and does
 * what a site's media need. It has no replicas, users, versions or TLS, and is not for production.
 *
 * @throws Error when the port is taken or another process uses the directory
 */
export async function startObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  const {
    host = '127.0.0.1',
    accessKeyId,
    secretAccessKey,
    region = 'us-east-1',
    log = logToStderr,
  } = options;
  if (!accessKeyId || !secretAccessKey)
    throw new Error('The object store needs an accessKeyId and a secretAccessKey');
  const storage = await Storage.open(options.dataDir);
  const requests = new Set<Promise<void>>();
  const credentials = { accessKeyId, secretAccessKey };
  const server = createHttpServer({ storage, credentials, region, now: Date.now, log }, requests);
  try {
    await listen(server, options.port, host);
  } catch (error) {
    await storage.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  log(
    `Object store for a first look and for tests, never for production: ${endpoint}, files in ${options.dataDir}`,
  );
  return {
    endpoint,
    port,
    close: async () => {
      await closeServer(server);
      await Promise.allSettled(requests);
      await storage.close();
    },
  };
}

function createHttpServer(options: HandlerOptions, requests: Set<Promise<void>>): Server {
  // An upload may take any time as long as data keeps arriving.
  const server = createServer(
    { keepAliveTimeout: IDLE_CONNECTION_MS, requestTimeout: 0 },
    (incoming, outgoing) => {
      const request = handleRequest(incoming, outgoing, options);
      requests.add(request);
      // Otherwise a kept-alive connection would hold up a server that is closing.
      outgoing.once('finish', () => {
        if (!server.listening) incoming.socket.end();
      });
      void request.finally(() => requests.delete(request));
    },
  );
  return server.setTimeout(STALLED_CONNECTION_MS);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(deadline);
}

function logToStderr(message: string): void {
  process.stderr.write(`${message}\n`);
}

interface HandlerOptions {
  storage: Storage;
  credentials: Credentials;
  region: string;
  /** ms since 1970. */
  now(): number;
  log(message: string): void;
}

/** Answers a request. Never throws: errors become answers. */
async function handleRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: HandlerOptions,
): Promise<void> {
  const requestId = randomUUID();
  outgoing.setHeader('x-amz-request-id', requestId);
  outgoing.setHeader('server', 'pressroom-object-store');
  try {
    await send(outgoing, incoming.method ?? 'GET', await answer(incoming, outgoing, options));
  } catch (error) {
    await sendError(error, { incoming, outgoing, requestId, log: options.log });
  }
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { storage, credentials, region, now }: HandlerOptions,
): Promise<S3Response> {
  const request = parseRequest(incoming);
  const rules = request.headers.origin === undefined ? [] : storage.buckets.cors(request.bucket);
  if (request.method === 'OPTIONS') return preflight(rules, request);
  // Set before anything can fail: a page must be able to read the error, too.
  for (const [name, value] of Object.entries(corsHeaders(rules, request))) outgoing.setHeader(name, value);
  const authorization = await authenticate(request, credentials, now());
  const signed: S3Request = { ...request, headers: withHoistedHeaders(request) };
  const payload = new Payload(signed, authorization);
  const secret = credentials.secretAccessKey;
  return findOperation(signed)({ storage, request: signed, payload, secret, region, now });
}

async function sendError(
  error: unknown,
  context: {
    incoming: IncomingMessage;
    outgoing: ServerResponse;
    requestId: string;
    log(message: string): void;
  },
): Promise<void> {
  const { incoming, outgoing, requestId, log } = context;
  if (!(error instanceof S3Error) && !isDisconnect(incoming, outgoing)) {
    log(`${incoming.method} request ${requestId} failed: ${error instanceof Error ? error.stack : error}`);
  }
  if (outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy();
    return;
  }
  const answered = error instanceof S3Error ? error : new S3Error('InternalError');
  const resource = (incoming.url ?? '/').split('?')[0] ?? '/';
  await send(outgoing, incoming.method ?? 'GET', errorResponse(answered, resource, requestId));
}

function isDisconnect(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  return incoming.destroyed || outgoing.destroyed || incoming.socket.destroyed;
}
