import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser, skipWithout } from './browser.ts';
import { type DeskFixture, deskFixture } from './desk.ts';
import type { Visit } from './gallery-page.ts';
import { send } from './http.ts';
import { faultsOf, readAxe } from './screen-faults.ts';

type VisitOptions = Parameters<DeskFixture['gallery']['visit']>[1];

/** The desk of a test file, and the windows that its tests open. */
export interface DeskWindows extends Omit<DeskFixture, 'visit'> {
  /** Opens a window of somebody who has never been here. */
  window: (options?: VisitOptions) => Promise<Visit>;
  /** Lets somebody new in, and returns their window, which shows the articles. */
  enter: (name: string, role: string, options?: VisitOptions) => Promise<Page>;
  /** Opens a place in a window of the account of the environment. */
  visit: (place: string) => Promise<Visit>;
  /** The faults of a page, as axe and measuring find them. */
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
    const open: DeskWindows['window'] = async (options) => kept(await desk.gallery.visit(running, options));
    await prepare({
      ...desk,
      window: open,
      enter: async (name, role, options) => {
        const visit = await open(options);
        await visit.context.addCookies([await joined(desk, name, role)]);
        await desk.go(visit.page, 'articles');
        return visit.page;
      },
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

/** The cookie of somebody who has accepted an invitation. */
async function joined({ gallery }: DeskFixture, name: string, role: string) {
  const email = `${name.replace(/\W/g, '')}@example.org`;
  const { body } = await gallery.post('/api/people', { name, email, role });
  const json = { token: body.data.invitation.token, password: 'nobody types this twice' };
  const { headers } = await send(`${gallery.url}/api/invitation/accept`, { method: 'POST', json });
  const [pair = ''] = (headers.getSetCookie()[0] ?? '').split(';');
  const at = pair.indexOf('=');
  return { name: pair.slice(0, at), value: pair.slice(at + 1), url: gallery.url };
}
