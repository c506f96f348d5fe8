import { setTimeout as delay } from 'node:timers/promises';

/** Reads, and writes with a key, at a steady rate: what is lost while `deploy/roll` runs shows here. */
const { STACK_URL, CONTENT_API_KEY } = process.env;
const [total = 10_000, perSecond = 200] = process.argv.slice(2).map(Number);

/** How many answers there were of each status, or of no answer and why. */
const outcomes = new Map<string, number>();

async function ask(number: number): Promise<void> {
  const writes = number % 4 === 0;
  // Every read is another URL, so that it reaches a service and not only the proxy's cache.
  const path = writes ? '/api/articles' : `/api/articles?page=${number}`;
  const options = writes
    ? {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': CONTENT_API_KEY ?? '' },
        body: JSON.stringify({ title: `Written ${number}`, content: `<p>${'Words of it. '.repeat(8)}</p>` }),
      }
    : {};
  const outcome = await fetch(`${STACK_URL}${path}`, options).then(
    async (response) => {
      await response.arrayBuffer();
      return `${writes ? 'POST' : 'GET'} ${response.status}`;
    },
    (error: unknown) =>
      `${writes ? 'POST' : 'GET'} no answer: ${String(error instanceof Error ? (error.cause ?? error) : error)}`,
  );
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

if (!STACK_URL || !CONTENT_API_KEY) {
  console.error('Set STACK_URL and CONTENT_API_KEY.');
  process.exit(1);
}
const begun = performance.now();
const asked: Promise<void>[] = [];
for (let number = 1; number <= total; number += 1) {
  const due = (number / perSecond) * 1000 - (performance.now() - begun);
  if (due > 0) await delay(due);
  asked.push(ask(number));
}
await Promise.all(asked);
const seconds = (performance.now() - begun) / 1000;
for (const [outcome, count] of [...outcomes].sort()) console.log(`${outcome}: ${count}`);
const failed = [...outcomes]
  .filter(([outcome]) => !/ 20[01]$/.test(outcome))
  .reduce((sum, [, count]) => sum + count, 0);
console.log(
  `steady-load: ${total - failed} answered, ${failed} failed of ${total} in ${seconds.toFixed(1)} s`,
);
process.exitCode = failed === 0 ? 0 : 1;
