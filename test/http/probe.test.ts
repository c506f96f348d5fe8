import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { expect, onTestFinished, test } from 'vitest';
import { contentFixture, startContent } from '../support/content.ts';

const PROBE = fileURLToPath(new URL('../../deploy/probe', import.meta.url));

/** True if the probe of the containers finds the service on a port ready. */
async function probe(port: number | string): Promise<boolean> {
  return promisify(execFile)(PROBE, [String(port)]).then(
    () => true,
    () => false,
  );
}

test('succeeds where a service is ready, and fails where it is not or where there is none', async () => {
  const ready = await contentFixture();
  onTestFinished(() => ready.close());
  const unready = await startContent('postgres://127.0.0.1:1/none');
  onTestFinished(() => unready.close());
  expect(await probe(new URL(ready.url).port)).toBe(true);
  expect(await probe(new URL(unready.url).port)).toBe(false);
  expect(await probe(await findFreePort())).toBe(false);
});
