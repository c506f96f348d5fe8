/**
 * `pnpm bench login-flood`: how long the administrator waits for a login while others try ever-new user
 * names over 200 connections from 50 addresses.
 */
import { type Figure, figuresOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { startFlood } from './gallery-flood.ts';
import { ADMIN, startBenchGallery } from './gallery-service.ts';

/** The longest acceptable time of a login during the flood, in ms. */
const AIM = 2000;

const LOGINS = 15;

interface Login {
  ms: number;
  status: number;
  /** The cookie that makes this browser known. */
  device: string | undefined;
}

const gallery = await startBenchGallery({ TRUST_PROXY: '1' });

async function logIn(address: string, cookie?: string): Promise<Login> {
  const begin = performance.now();
  const response = await fetch(`http://127.0.0.1:${gallery.process.port}/api/login`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': address,
      ...(cookie !== undefined && { cookie }),
    },
    body: JSON.stringify(ADMIN),
  });
  await response.arrayBuffer();
  const [device] = response.headers.getSetCookie()[1]?.split(';') ?? [];
  return { ms: performance.now() - begin, status: response.status, device };
}

async function logInOften(address: string, cookie?: string): Promise<Login[]> {
  const logins = [];
  for (let count = 0; count < LOGINS; count += 1) logins.push(await logIn(address, cookie));
  return logins;
}

function times(what: string, logins: Login[]): Figure[] {
  const figure = figuresOf('gallery-admin');
  const all = logins.map(({ ms }) => ms);
  const refused = logins.filter(({ status }) => status !== 200).length;
  return [
    figure(what, 'p50', 'ms', all),
    figure(what, 'highest', 'ms', Math.max(...all), AIM),
    figure(what, 'refused', '', refused, 0),
  ];
}

const { device } = await logIn('198.51.100.1');
const quiet = await logInOften('198.51.100.1', device);
const flood = await startFlood({ port: gallery.process.port });
// From the very address that floods, too: only the device tells the owner from the others.
const known = await logInOften('203.0.113.7', device);
const newBrowser = await logInOften('198.51.100.1');
await flood.stop();
await gallery.stop();

keepFigures('login-flood', [
  ...times('nobody else logs in', quiet),
  ...times('known browser, at an address that floods', known),
  ...times('new browser, at a known address', newBrowser),
]);
