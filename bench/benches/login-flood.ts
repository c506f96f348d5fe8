import { logIn } from '../../test/support/gallery-account.ts';
import type { Bench } from '../bench.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { startFlood } from '../gallery/flood.ts';
import { type BenchGallery, startBenchGallery } from '../gallery/service.ts';
import { measuredSection } from '../report/measured.ts';
import { timed } from '../turns.ts';

/** The longest acceptable time of a login during the flood, in ms. */
const AIM = 2000;

const LOGINS = 15;

/** The times of logins from an address, and how many were refused. */
async function logins(what: string, url: string, headers: Record<string, string>): Promise<Figure[]> {
  let refused = 0;
  const attempt = async () => {
    if ((await logIn(url, headers)).status !== 200) refused += 1;
  };
  const times = await Array.fromAsync({ length: LOGINS }, () => timed(attempt));
  const figure = figuresOf('gallery-admin');
  return [
    figure(what, 'p50', 'ms', times),
    figure(what, 'highest', 'ms', Math.max(...times), AIM),
    figure(what, 'refused', '', refused, 0),
  ];
}

async function measure(gallery: BenchGallery): Promise<Figure[]> {
  const { url } = gallery;
  const home = { 'x-forwarded-for': '198.51.100.1' };
  const [, cookie = ''] = (await logIn(url, home)).cookies;
  const quiet = await logins('nobody else logs in', url, { ...home, cookie });
  await using _flood = await startFlood({ port: gallery.process.port });
  // From the very address that floods, too: only the browser's cookie tells the owner from the others.
  const known = { 'x-forwarded-for': '203.0.113.7', cookie };
  return [
    ...quiet,
    ...(await logins('known browser, at an address that floods', url, known)),
    ...(await logins('new browser, at a known address', url, home)),
  ];
}

/**
 * `pnpm bench login-flood`: how long the administrator waits for a login while others try ever-new user
 * names over 200 connections from 50 addresses.
 */
export const loginFlood: Bench<BenchGallery> = {
  start: () => startBenchGallery({ TRUST_PROXY: '1' }),
  parts: () => [{ name: 'logins', seconds: 60, run: measure }],
  sections: { 'login-flood': measuredSection('login-flood') },
};
