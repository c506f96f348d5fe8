import { formatPasswordHash, hashPassword } from '@pressroom/gallery-admin/session/password';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  ADMIN,
  type GalleryFixture,
  galleryFixture,
  type RunningGallery,
  startGallery,
} from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

/** Connections that try to log in without a pause, and the addresses that they come from. */
const CONNECTIONS = 200;
const ADDRESSES = 50;

let gallery: GalleryFixture;
const services: RunningGallery[] = [];
beforeAll(async () => {
  gallery = await galleryFixture();
});
afterEach(async () => {
  // With the attempts that were broken off, which it still has to find out.
  for (const service of services.splice(0)) await service.close();
});
afterAll(() => gallery?.close());

/**
 * Starts the service behind a proxy; its passwords cost as little as tests like, unless settings say
 * otherwise.
 */
async function start(settings: Record<string, string> = {}): Promise<string> {
  const service = await startGallery({ ...gallery.settings, TRUST_PROXY: '1', ...settings });
  services.push(service);
  return service.url;
}

interface LoginRequest {
  url: string;
  address: string;
  cookie?: string | undefined;
  json?: unknown;
  signal?: AbortSignal;
}

function logIn({ url, address, cookie, json = ADMIN, signal }: LoginRequest): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    'x-forwarded-for': address,
    ...(cookie && { cookie }),
  };
  const body = JSON.stringify(json);
  return fetch(`${url}/api/login`, { method: 'POST', body, headers, ...(signal && { signal }) });
}

/** The status of a login; a process that this machine gives no time to for a second is asked again. */
async function statusOfLogin(request: LoginRequest): Promise<number> {
  return until('the process has time', async () => {
    const { status, ...answer } = await send(`${request.url}/api/login`, {
      method: 'POST',
      json: ADMIN,
      headers: { 'x-forwarded-for': request.address, ...(request.cookie && { cookie: request.cookie }) },
    });
    const isBusy = status === 503 && !answer.text.includes('log in at once');
    return isBusy ? undefined : status;
  });
}

/** Clients that try ever-new names, until they are stopped. */
function startFlood(url: string) {
  const seen = new Map<number, number>();
  const stopping = new AbortController();
  let stopped = false;
  const connections = Array.from({ length: CONNECTIONS }, async (_, connection) => {
    for (let attempt = 0; !stopped; attempt += 1) {
      const json = { username: `name-${connection}-${attempt}`, password: 'guess' };
      const address = `203.0.113.${connection % ADDRESSES}`;
      const { status } = await logIn({ url, address, json, signal: stopping.signal });
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }
  });
  const finished = Promise.allSettled(connections);
  return {
    seen,
    /** Lets every connection have the answer that it waits for. */
    finish: () => {
      stopped = true;
      return finished;
    },
    breakOff: () => {
      stopping.abort();
      return finished;
    },
  };
}

test('a flood does not keep out whoever has been here before, at the cost of real passwords', async () => {
  const url = await start({
    ADMIN_PASSWORD_HASH: formatPasswordHash(await hashPassword(ADMIN.password)),
  });
  const first = await logIn({ url, address: '198.51.100.1' });
  expect(first.status).toBe(200);
  const [device] = first.headers.getSetCookie()[1]?.split(';') ?? [];
  const flood = startFlood(url);
  await until('the flood is answered', () => (flood.seen.get(401) ?? 0) > 0);
  const behindTheFlood = await statusOfLogin({ url, address: '203.0.113.7', cookie: device });
  const newBrowser = await statusOfLogin({ url, address: '198.51.100.1' });
  await flood.breakOff();
  expect([behindTheFlood, newBrowser]).toEqual([200, 200]);
});

test('a flood does not keep out even newcomers, and refused attempts are not counted', async () => {
  const url = await start();
  const { pool } = gallery.database;
  await pool.query('truncate gallery.login_failure');
  const flood = startFlood(url);
  await until('the flood is answered', () => (flood.seen.get(401) ?? 0) > 0);
  const unknown = await statusOfLogin({ url, address: '198.51.100.2' });
  await flood.finish();
  expect(unknown).toBe(200);
  // Each failure counts against the address and against its name there; what was refused counts against
  // nobody.
  const { rows } = await pool.query('select sum(failures)::int as n from gallery.login_failure');
  expect(rows).toEqual([{ n: 2 * (flood.seen.get(401) ?? 0) }]);
});

test('more attempts than may wait are 503 with Retry-After, and not counted', async () => {
  const url = await start();
  await gallery.database.pool.query('truncate gallery.login_failure');
  const statuses = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const json = { username: `name-${index}`, password: 'guess' };
      const { status, headers } = await logIn({ url, address: '203.0.113.200', json });
      if (status === 503) expect(headers.get('retry-after')).toBe('1');
      return status;
    }),
  );
  expect(statuses.filter((status) => status === 401)).toHaveLength(20);
  expect(new Set(statuses)).toEqual(new Set([401, 429, 503]));
  expect(await statusOfLogin({ url, address: '198.51.100.4' })).toBe(200);
});
