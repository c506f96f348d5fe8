import { expect, onTestFinished, test, vi } from 'vitest';
import { WalPosition } from './change-listener.ts';

/** A position whose heartbeats the test sends; it counts how often one was waited for. */
function create() {
  let waited = 0;
  const position = new WalPosition(() => {
    waited += 1;
  });
  const tell = (lsn: string, changed = false) => position.heard({ sentAt: performance.now(), lsn, changed });
  return { position, tell, waited: () => waited };
}

test('it moves with a change, and not with what else is written', async () => {
  const { position, tell, waited } = create();
  tell('0/10');
  tell('0/20');
  expect(await position.current()).toBe('0/10');
  tell('0/30', true);
  tell('0/40');
  expect(await position.current()).toBe('0/30');
  expect(waited()).toBe(0);
});

test('what was seen is waited for: only a question that was sent later tells where it is', async () => {
  const { position, tell, waited } = create();
  tell('0/10');
  const sentAt = performance.now();
  position.seen();
  position.heard({ sentAt, lsn: '0/20', changed: false });
  const current = position.current();
  expect(waited()).toBe(1);
  tell('0/30');
  expect(await current).toBe('0/30');
  tell('0/40');
  expect(await position.current()).toBe('0/30');
});

test('after the connection was lost nothing is known, and a lower position counts', async () => {
  const { position, tell } = create();
  tell('A/0');
  position.lost();
  const current = position.current();
  tell('9/FF');
  expect(await current).toBe('9/FF');
});

test('without an answer it is not known', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { position } = create();
  const current = position.current();
  await vi.advanceTimersByTimeAsync(1000);
  expect(await current).toBeUndefined();
});
