import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { needsNginx } from '../support/needs-nginx.ts';
import { PROXY_FOLDER, type RunningProxy, startProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';

needsNginx();

const DOMAIN = 'site.example';

let port: number;
let proxy: RunningProxy | undefined;
const anyCertificate = new Agent({ connect: { rejectUnauthorized: false } });

beforeAll(async () => {
  port = await findFreePort();
  proxy = await startProxy({ DOMAIN, TLS_LISTEN: `127.0.0.1:${port}` });
});

afterAll(async () => {
  await anyCertificate.close();
  await proxy?.close();
});

/** Asks over TLS for a path of this name. */
async function secure(host: string, path: string): Promise<number> {
  const options = { headers: { host }, dispatcher: anyCertificate };
  const { statusCode, body } = await request(`https://127.0.0.1:${port}${path}`, options);
  await body.dump();
  return statusCode;
}

/** The name in the certificate that the proxy shows. */
async function certifiedName(): Promise<string> {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const connecting = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, servername: DOMAIN });
    connecting.once('secureConnect', () => resolve(connecting)).once('error', reject);
  });
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

test('with a domain it answers to that name and those below it over TLS, and to no other', async () => {
  expect(await secure(DOMAIN, '/docs')).toBe(200);
  expect(await secure(`content.${DOMAIN}`, '/api/articles')).toBe(503);
  expect(await secure('other.example', '/docs')).toBe(421);
  expect(await certifiedName()).toBe(DOMAIN);
});

test('the proof that a certificate needs is answered over plain http, and nothing else beside it', async () => {
  await mkdir(join(proxy?.tls ?? '', 'challenges'), { recursive: true });
  await writeFile(join(proxy?.tls ?? '', 'challenges/token'), 'the proof');
  const proof = async (token: string) => {
    const options = { headers: { host: `content.${DOMAIN}` } };
    const { statusCode, body } = await request(`${proxy?.url}/.well-known/acme-challenge/${token}`, options);
    return [statusCode, await body.text()];
  };
  expect(await proof('token')).toEqual([200, 'the proof']);
  expect(await proof('other')).toMatchObject([404, expect.stringContaining('not_found')]);
  expect((await proof(''))[0]).toBe(308);
});

test('a certificate that is obtained is served at once', async () => {
  const folder = proxy?.tls ?? '';
  const [key, chain] = [join(folder, 'new-key.pem'), join(folder, 'new-chain.pem')];
  const subject = ['-subj', '/CN=obtained', '-days', '1', '-keyout', key, '-out', chain];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject], { stdio: 'pipe' });
  const env = {
    PATH: `${process.env.PATH}:/usr/sbin`,
    PROXY_TLS: folder,
    PROXY_STATE: join(folder, '../state'),
  };
  // As dehydrated calls it: the domain, the key, the certificate, the full chain.
  execFileSync(join(PROXY_FOLDER, 'certificate'), ['deploy_cert', DOMAIN, key, chain, chain], { env });
  await until('the new certificate is served', async () => (await certifiedName()) === 'obtained');
  expect(await secure(DOMAIN, '/docs')).toBe(200);
});
