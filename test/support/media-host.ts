import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

/** Answers a request to a {@link MediaHost}. */
export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** A TLS server on 127.0.0.1 that stands for hosts elsewhere. */
export interface MediaHost {
  port: number;
  /** The certificate (PEM) of the authority that signed the server's. */
  ca: string;
  /** `host path` of every request, in their order. */
  requests: string[];
  /** The answers, by path without the query string; another path is 404. */
  answers: Map<string, Answering>;
  close: () => Promise<void>;
}

/** Starts a TLS server that is certified for `names` by its own authority. */
export async function startMediaHost(names: readonly string[]): Promise<MediaHost> {
  const shared = { keyType: 'ec', algorithm: 'sha256' } as const;
  const authority = await generate([{ name: 'commonName', value: 'Test authority' }], {
    ...shared,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const altNames = names.map((value) => ({ type: 2 as const, value }));
  const certificate = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
    ...shared,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [{ name: 'subjectAltName', altNames: [...altNames, { type: 7, ip: '127.0.0.1' }] }],
  });
  const host: Omit<MediaHost, 'port' | 'close'> = { ca: authority.cert, requests: [], answers: new Map() };
  const server = createServer({ key: certificate.private, cert: certificate.cert }, (request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    host.requests.push(`${request.headers.host} ${request.url}`);
    const answer = host.answers.get(path);
    if (answer === undefined) response.writeHead(404, { 'content-type': 'image/png' }).end('none');
    else answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { ...host, port: (server.address() as AddressInfo).port, close };
}
