/**
 * A thread that writes articles of 2 MB to the content service, one after the other, until it gets a message;
 * it answers with the number of articles. `workerData` has the port and the API key.
 */
import { parentPort, workerData } from 'node:worker_threads';

const { port, key }: { port: number; key: string } = workerData;

const SENTENCE =
  'A paragraph of ordinary length with <em>some</em> markup and a <a href="https://example.org/">link</a>. ';
const PARAGRAPH = `<p>${SENTENCE.repeat(8)}</p>\n`;
const content = PARAGRAPH.repeat(Math.floor(2_000_000 / PARAGRAPH.length));

let stopped = false;
let written = 0;
parentPort?.once('message', () => {
  stopped = true;
});
for (; !stopped; written += 1) {
  const response = await fetch(`http://127.0.0.1:${port}/api/articles`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ title: `Large article ${written}`, content, category_id: 1 }),
  });
  const answer = await response.text();
  if (response.status !== 201)
    throw new Error(`a write answered ${response.status}: ${answer.slice(0, 500)}`);
}
parentPort?.postMessage(written);
