import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser, skipWithout } from './browser.ts';
import { type DeskFixture, deskFixture } from './desk.ts';
import type { Visit } from './gallery-page.ts';
import { faultsOf, readAxe } from './screen-faults.ts';

type VisitOptions = Parameters<DeskFixture['gallery']['visit']>[1];

/** The desk of a test file, and the windows that its tests open. */
export interface DeskWindows extends Omit<DeskFixture, 'visit'> {
  /** Opens a window of somebody who has never been here. */
  window: (options?: VisitOptions) => Promise<Visit>;
  /** Opens a place in a window of the account of the environment. */
  visit: (place: string) => Promise<Visit>;
  /** What is wrong with what a page shows, as axe and measuring have it. */
  faultsOf: (page: Visit['page']) => ReturnType<typeof faultsOf>;
}

/**
 * Opens a desk and a browser before the tests of a file, and closes both after them, which fail for what a
 * page has complained about. Without a browser the tests are left out.
 *
 * @param prepare what the tests begin with, where there is a browser
 * @param settings further settings of the gallery
 */
export function withDeskWindows(
  prepare: (windows: DeskWindows) => Promise<void>,
  settings: () => Promise<Record<string, string>> = async () => ({}),
): void {
  let browser: Browser | undefined;
  let desk: DeskFixture;
  const visits: Visit[] = [];
  beforeAll(async () => {
    browser = await launchBrowser();
    if (browser === undefined) return;
    const running = browser;
    desk = await deskFixture(await settings());
    const axe = await readAxe();
    const kept = (visit: Visit) => {
      visit.page.setDefaultTimeout(60_000);
      visits.push(visit);
      return visit;
    };
    await prepare({
      ...desk,
      window: async (options) => kept(await desk.gallery.visit(running, options)),
      visit: async (place) => kept(await desk.visit(running, place)),
      faultsOf: (page) => faultsOf(page, axe),
    });
  });
  skipWithout(() => browser);
  afterAll(async () => {
    if (browser === undefined) return;
    expect(visits.flatMap(({ complaints }) => complaints)).toEqual([]);
    await browser.close();
    await desk.close();
  });
}

/** Gives a window an authenticator of its own, as phones and laptops have one. */
export async function withAuthenticator({ context, page }: Visit): Promise<Page> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return page;
}
