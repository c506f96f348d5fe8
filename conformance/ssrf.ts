import { randomBytes } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { MIGRATIONS, migrate } from '@pressroom/common/database/migrations';
import { createLogger } from '@pressroom/common/log/logging';
import { WebhookSender } from '@pressroom/common/webhooks/webhook-sender';
import { readGalleryConfig } from '@pressroom/gallery-admin/config';
import { openGallery } from '@pressroom/gallery-admin/open';
import { type MediaHost, startMediaHost } from '../test/support/media-host.ts';
import { startThrowaway } from '../test/support/throwaway-postgres.ts';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { innerNames, LISTED, outerTargets, type SsrfTarget } from './ssrf/targets.ts';
import { HOSTILE_ANSWERS, type HostileAnswer } from './ssrf/upstream.ts';
import { type Answered, exchange, headerOf } from './support/exchange.ts';

/** Time that a host may be silent in this test, in ms. */
const FIRST_BYTE_MS = 2000;

/** Delay that a busy machine may add, in ms. */
const PATIENCE_MS = 110_000;

/** A name that is listed, may be private, and leads to the host of the hostile answers. */
const HOSTILE = 'hostile.test';

const SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;

const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };

/** URLs that point the gallery's proxy and hooks to internal addresses, and hosts with hostile answers. */
export const ssrf: ConformanceCheck = {
  name: 'ssrf',
  about:
    "targets that the gallery's proxy and hooks must not request, and hostile answers from allowed hosts",
  needs: [],
  run: checkProxy,
};

async function checkProxy(note: (line: string) => void): Promise<Verdict> {
  const inner = innerNames();
  const host = await startMediaHost([LISTED, HOSTILE, '*.listed.test']);
  await using gallery = await openProxy(host, inner);
  const findings = new Findings();
  findings.add('the listed host', await faultOfListed(gallery, host));
  const targets = [...inner, ...outerTargets()];
  for (const target of targets) findings.add(target.name, await faultOfTarget(gallery, host, target));
  for (const hostile of HOSTILE_ANSWERS) {
    findings.add(`hostile: ${hostile.name}`, await faultOfAnswer(gallery, host, hostile));
  }
  const hookTargets = targets.filter(({ url }) => URL.canParse(urlOf(url, host)));
  for (const target of hookTargets) {
    findings.add(`hook: ${target.name}`, await faultOfHook(host, inner, urlOf(target.url, host)));
  }
  await host.close();
  note(
    `  ${targets.length} targets, ${hookTargets.length} of them of hooks, ${HOSTILE_ANSWERS.length} hostile answers`,
  );
  return findings.verdict;
}

/** A gallery administration with the test's name resolution and a logged-in user. */
interface Proxy extends AsyncDisposable {
  ask(url: string, more?: string): Promise<Answered>;
}

async function openProxy(host: MediaHost, inner: readonly SsrfTarget[]): Promise<Proxy> {
  const postgres = await startThrowaway({ fsync: 'off' });
  await migrate(postgres.url, MIGRATIONS);
  const names = new Map(inner.map(({ url, addresses }) => [hostnameOf(url, host), addresses ?? []]));
  const config = readGalleryConfig(settingsOf(postgres.url, host));
  const resolve = async (name: string) => names.get(name) ?? [LOOPBACK];
  const log = createLogger({ service: 'gallery-admin', level: 'fatal' });
  const proxy = { ca: host.ca, firstByteMs: FIRST_BYTE_MS, resolve };
  const { app, release } = await openGallery(config, log, { proxy });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const cookie = await login(url);
  return {
    ask: (target, more = '') =>
      exchange(url, {
        method: 'GET',
        path: `/api/proxy?url=${encodeURIComponent(target)}${more}`,
        headers: { cookie },
      }),
    async [Symbol.asyncDispose]() {
      await app.close();
      await release();
      await postgres.stop();
    },
  };
}

function settingsOf(databaseUrl: string, { port }: MediaHost): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    GALLERY_ADMIN_PORT: '0',
    ADMIN_USERNAME: 'conformance',
    ADMIN_PASSWORD: 'check of the proxy',
    COOKIE_SECURE: 'false',
    SETTINGS_KEY: randomBytes(32).toString('base64'),
    S3_ENDPOINT: 'https://store.invalid',
    S3_BUCKET: 'none',
    S3_ACCESS_KEY_ID: 'none',
    S3_SECRET_ACCESS_KEY: 'none',
    PROXY_ALLOWED_HOSTS: `${LISTED}:${port},*.listed.test:${port},${HOSTILE}:${port}`,
    PROXY_PRIVATE_HOSTS: `${LISTED}:${port},${HOSTILE}:${port}`,
  };
}

async function login(url: string): Promise<string> {
  const answer = await exchange(url, {
    method: 'POST',
    path: '/api/login',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'conformance', password: 'check of the proxy' }),
  });
  return (headerOf(answer, 'set-cookie') ?? '').split(';')[0] ?? '';
}

function hostnameOf(url: string, { port }: MediaHost): string {
  return new URL(url.replace('PORT', String(port))).hostname;
}

function urlOf(url: string, { port }: MediaHost): string {
  return url.replace('HOST', `${LISTED}:${port}`).replace('PORT', String(port));
}

/** A hook at an address that is not public must get nothing; names that are not in the test are internal. */
async function faultOfHook(
  host: MediaHost,
  inner: readonly SsrfTarget[],
  url: string,
): Promise<string | undefined> {
  host.requests.length = 0;
  const names = new Map(inner.map((target) => [hostnameOf(target.url, host), target.addresses ?? []]));
  const resolve = async (name: string) => names.get(name) ?? [LOOPBACK];
  const sender = new WebhookSender({
    ...{ userAgent: 'conformance', privateHosts: [HOSTILE], privateHostsSetting: 'HOSTS' },
    ...{ resolve, totalMs: FIRST_BYTE_MS },
  });
  const message = { id: 'evt_1', body: '{}' };
  const { status, fault } = await sender.send(url, message, [SECRET], new AbortController().signal);
  await sender.close();
  if (host.requests.length > 0) return `${host.requests.join(', ')} was asked`;
  return status === null && fault !== null ? undefined : `${url} was answered ${status}`;
}

/** An allowed target must be requested: a proxy that refuses everything would pass the other checks. */
async function faultOfListed(proxy: Proxy, host: MediaHost): Promise<string | undefined> {
  host.answers.set('/a.png', (_request, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
  );
  for (const name of [LISTED, HOSTILE]) {
    const { status } = await proxy.ask(`https://${name}:${host.port}/a.png`);
    if (status !== 200) return `https://${name}:${host.port}/a.png is ${status}, expected 200`;
  }
  return undefined;
}

/** A target must be refused without a request. */
async function faultOfTarget(
  proxy: Proxy,
  host: MediaHost,
  { url }: SsrfTarget,
): Promise<string | undefined> {
  host.requests.length = 0;
  const target = urlOf(url, host);
  const { status } = await proxy.ask(target);
  if (host.requests.length > 0) return `${host.requests.join(', ')} was asked`;
  return status === 400 || status === 403 ? undefined : `${target} is ${status}, expected 400 or 403`;
}

/** The parts of a host's answer that a client must never get. */
const OWN = ['set-cookie', 'refresh', 'access-control-allow-origin', 'link', 'upgrade'];

async function faultOfAnswer(
  proxy: Proxy,
  host: MediaHost,
  { answer, statuses, thumbnail }: HostileAnswer,
): Promise<string | undefined> {
  host.requests.length = 0;
  host.answers.set('/again', (_request, response) => response.writeHead(302, { location: '/again' }).end());
  host.answers.set('/hostile', (request) => answer(request.socket, request));
  const started = performance.now();
  const got = await proxy.ask(`https://${HOSTILE}:${host.port}/hostile`, thumbnail ? '&thumbnail=true' : '');
  const ms = performance.now() - started;
  if (!statuses.includes(got.status)) return `${got.status}, must be ${statuses.join(' or ')}`;
  if (ms > FIRST_BYTE_MS + PATIENCE_MS) return `answered after ${Math.round(ms)} ms`;
  const passed = OWN.filter((name) => headerOf(got, name) !== undefined);
  if (passed.length > 0) return `${passed.join(', ')} from the host is passed on`;
  if (host.requests.length > 4) return `the host got ${host.requests.length} requests`;
  return got.status === 200 ? faultOfMedia(got) : undefined;
}

/** Content that is passed on must not be able to run as a page. */
function faultOfMedia(got: Answered): string | undefined {
  const sandboxed = headerOf(got, 'content-security-policy') === 'sandbox';
  const sniffed = headerOf(got, 'x-content-type-options') !== 'nosniff';
  const type = headerOf(got, 'content-type') ?? 'none';
  return sandboxed && !sniffed && /^(image|video|audio)\//.test(type)
    ? undefined
    : `passed on as ${type}, not held`;
}
