import { SoftwarePasskey } from '../../test/support/authenticator.ts';
import { ADMIN, logIn } from '../../test/support/gallery-account.ts';
import { startProvider } from '../../test/support/oidc.ts';
import type { Bench } from '../bench.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { type BenchGallery, startBenchGallery } from '../gallery/service.ts';
import { type Load, type LoadRequest, load } from '../load.ts';
import { measuredTables } from '../report/measured.ts';
import { sectionOf } from '../report/section.ts';

/** The owner's logins a second: each takes a hash of 64 MiB, and a core for a while. */
const RATE = 0.5;
const DURATION_MS = 24_000;

/** Connections of a flood, and the addresses that they come from. */
const CONNECTIONS = 100;
const ADDRESSES = 50;

interface Site {
  gallery: BenchGallery;
  /** Of the owner's browser, which has logged in before. */
  device: string;
}

type Flood = Pick<Load, 'requests' | 'write'>;

function fromEverywhere(path: string, headers: Record<string, string> = {}): LoadRequest[] {
  return Array.from({ length: ADDRESSES }, (_, index) => ({
    path,
    headers: { ...headers, 'x-forwarded-for': `203.0.113.${index}` },
  }));
}

let names = 0;

/** The ways in that are open to anybody. */
const FLOODS: Readonly<Record<string, (site: Site) => Flood>> = {
  'guessed passwords': () => ({
    requests: fromEverywhere('/api/login'),
    write: {
      method: 'POST',
      body: () => {
        names += 1;
        return { username: `name-${names}`, password: 'guess' };
      },
    },
  }),
  'begun passkeys': () => ({
    requests: fromEverywhere('/api/login/passkey/options'),
    write: { method: 'POST', body: () => ({}) },
  }),
  'forged passkeys': ({ gallery }) => {
    const forged = new SoftwarePasskey(gallery.url).get({ challenge: 'bm9ib2R5IGFza2Vk', rpId: '127.0.0.1' });
    return {
      requests: fromEverywhere('/api/login/passkey'),
      write: { method: 'POST', body: () => ({ credential: forged }) },
    };
  },
  'begun single sign-on': () => ({
    requests: fromEverywhere('/api/oidc/bench/login', { 'sec-fetch-site': 'same-origin' }),
  }),
  'forged answers of a provider': () => ({
    requests: fromEverywhere('/api/oidc/bench/callback?code=forged&state=forged'),
  }),
};

async function ownersLogins({ gallery, device }: Site, flood?: Flood): Promise<Figure[]> {
  const { port } = gallery.process;
  const owner = load({
    port,
    requests: [{ path: '/api/login', headers: { cookie: device, 'x-forwarded-for': '198.51.100.1' } }],
    write: { method: 'POST', body: () => ADMIN },
    rate: RATE,
    durationMs: DURATION_MS,
  });
  const flooding = flood && load({ ...flood, port, connections: CONNECTIONS, durationMs: DURATION_MS });
  const [times, answers] = await Promise.all([owner, flooding]);
  const figure = figuresOf('gallery-admin', { rate: RATE });
  return [
    figure('', 'p50', 'ms', times.p50),
    figure('', 'p99', 'ms', times.p99),
    figure('', 'refused', '', times.failed, 0),
    figure('', 'flood', '/s', (answers?.requests ?? 0) / (DURATION_MS / 1000)),
  ];
}

const named = (what: string, figures: readonly Figure[]) => figures.map((figure) => ({ ...figure, what }));

/**
 * `pnpm bench logins [FLOOD …]`: how long the owner waits for a login, from a browser that has logged in
 * before, while 100 connections from 50 addresses flood one way in.
 */
export const logins: Bench<Site> = {
  start: async (_sizes, resources) => {
    const provider = resources.adopt(await startProvider('bench'), (started) => started.close());
    const settings = { TRUST_PROXY: '1', OIDC_PROVIDERS: JSON.stringify([provider.client]) };
    const gallery = resources.use(await startBenchGallery(settings));
    const { cookies } = await logIn(gallery.url, { 'x-forwarded-for': '198.51.100.1' });
    return { gallery, device: cookies[1] ?? '' };
  },
  parts: () => [
    { name: 'alone', seconds: 25, run: async (site) => named('alone', await ownersLogins(site)) },
    ...Object.entries(FLOODS).map(([name, flood]) => ({
      name: name.replaceAll(' ', '-'),
      seconds: 25,
      run: async (site: Site) => named(name, await ownersLogins(site, flood(site))),
    })),
  ],
  sections: {
    logins: sectionOf('logins', (figures) => [measuredTables(figures, { subjects: false })]),
  },
};
