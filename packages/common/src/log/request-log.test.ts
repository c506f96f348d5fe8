import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { createLogger } from './logging.ts';
import { RequestLog } from './request-log.ts';

test.each([
  ['an address', '203.0.113.1', '203.0.113.1'],
  ['no address, as its connection is gone', undefined, null],
  ['what a proxy passes on as one', '"\\\t', '"\\\t'],
])('the event of a request with %s is a line of JSON', (_what, ip, address) => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const log = new RequestLog(createLogger({ service: 'test', level: 'info', stream }));
  const request = { id: '"1"', method: 'GET', url: '/?a=\\', ip } as FastifyRequest;
  log.requestCompleted(null, request, { statusCode: 200, elapsedTime: 1.23456 } as FastifyReply);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { requestId: '"1"', method: 'GET', url: '/?a=\\', status: 200, ms: 1.235, address },
  ]);
});
