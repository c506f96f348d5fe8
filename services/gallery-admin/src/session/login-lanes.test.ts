import { expect, test } from 'vitest';
import { LoginLanes, type Visitor } from './login-throttle.ts';

const BROWSER: Visitor = { address: '198.51.100.1', isKnownAddress: false, device: 'a' };
const UNKNOWN: Visitor = { address: '203.0.113.1', isKnownAddress: false, device: undefined };
const KNOWN_ADDRESS: Visitor = { ...UNKNOWN, isKnownAddress: true };

/** Work that ends when it is told to. */
function work(name: string, log: string[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = async () => {
    log.push(`${name} begins`);
    await promise;
    log.push(`${name} ends`);
  };
  return { run, end: resolve };
}

test('known browsers do not wait for others, who let all of them go first', async () => {
  const lanes = new LoginLanes();
  const log: string[] = [];
  const [running, next, known] = [work('running', log), work('next', log), work('known address', log)];
  const [first, second] = [work('first browser', log), work('second browser', log)];
  const unknown = [lanes.run(UNKNOWN, running.run), lanes.run(UNKNOWN, next.run)];
  await Promise.resolve();
  const browsers = [lanes.run(BROWSER, first.run), lanes.run(BROWSER, second.run)];
  unknown.push(lanes.run(KNOWN_ADDRESS, known.run));
  running.end();
  await unknown[0];
  for (const { end } of [next, known, first]) end();
  await browsers[0];
  second.end();
  await Promise.all([...browsers, ...unknown]);
  expect(log.slice(0, 6)).toEqual([
    'running begins',
    'first browser begins',
    'running ends',
    'first browser ends',
    'second browser begins',
    'second browser ends',
  ]);
  expect(log.toSorted()).toHaveLength(10);
});
