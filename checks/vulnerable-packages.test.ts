import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { vulnerablePackages } from './vulnerable-packages.ts';

const ROOT = join(import.meta.dirname, '..');

async function registry(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('names a package of the lockfile with a known vulnerability, and where it is mended', async () => {
  const advisory = (id: number, severity: string, versions: string) => ({
    id,
    title: `Something ${severity}`,
    url: 'https://advisories.example/1',
    severity,
    vulnerable_versions: versions,
    cwe: [],
    cvss: { score: 8, vectorString: null },
  });
  const asked = await registry((request, response) => {
    response.setHeader('content-type', 'application/json');
    const known = {
      zod: [advisory(1, 'high', '<99.0.0'), advisory(2, 'high', '<1.0.0'), advisory(3, 'low', '<99.0.0')],
    };
    response.end(JSON.stringify(request.method === 'POST' ? known : {}));
  });
  expect(await vulnerablePackages(ROOT, asked)).toEqual([
    expect.stringMatching(
      /^zod \d.*: high: Something high \(https:\/\/advisories\.example\/1\); patched in >=99\.0\.0$/,
    ),
  ]);
});

test('finds nothing where no registry answers, or one that does not know', async () => {
  expect(await vulnerablePackages(ROOT, 'http://127.0.0.1:1/')).toEqual([]);
  const refusing = await registry((_request, response) => response.writeHead(405).end());
  expect(await vulnerablePackages(ROOT, refusing)).toEqual([]);
});
