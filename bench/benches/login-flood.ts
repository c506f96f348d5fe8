import { logIn } from '../../test/support/gallery-account.ts';
import type { Bench } from '../bench.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { startFlood } from '../gallery/flood.ts';
import { type BenchGallery, startBenchGallery } from '../gallery/service.ts';
import { measuredSection } from '../report/measured.ts';

/** The longest acceptable time of a login during the flood, in ms. */
const AIM = 2000;

const LOGINS = 15;

/** The times of logins from an address, and how many were refused. */
async function logins(
  what: string,
  { url }: BenchGallery,
  address: string,
  cookie?: string,
): Promise<Figure[]> {
  const headers = { 'x-forwarded-for': address, ...(cookie && { cookie }) };
  const times: number[] = [];
  let refused = 0;
  for (let count = 0; count < LOGINS; count += 1) {
    const begin = performance.now();
    const { status } = await logIn(url, headers);
    times.push(performance.now() - begin);
    if (status !== 200) refused += 1;
  }
  const figure = figuresOf('gallery-admin');
  return [
    figure(what, 'p50', 'ms', times),
    figure(what, 'highest', 'ms', Math.max(...times), AIM),
    figure(what, 'refused', '', refused, 0),
  ];
}

async function measure(gallery: BenchGallery): Promise<Figure[]> {
  const home = '198.51.100.1';
  const [, browser] = (await logIn(gallery.url, { 'x-forwarded-for': home })).cookies;
  const quiet = await logins('nobody else logs in', gallery, home, browser);
  await using _flood = await startFlood({ port: gallery.process.port });
  // From the very address that floods, too: only the browser's cookie tells the owner from the others.
  const known = 'known browser, at an address that floods';
  return [
    ...quiet,
    ...(await logins(known, gallery, '203.0.113.7', browser)),
    ...(await logins('new browser, at a known address', gallery, home)),
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
