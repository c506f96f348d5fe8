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
  const request = {
    id: '"1"',
    method: 'GET',
    raw: { originalUrl: '/?a=\\' },
    ip,
  } as unknown as FastifyRequest;
  log.requestCompleted(null, request, { statusCode: 200, elapsedTime: 1.23456 } as FastifyReply);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { requestId: '"1"', method: 'GET', url: '/?a=\\', status: 200, ms: 1.235, address },
  ]);
});

test("the line of a request is the same as pino's", () => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: 'te"st', level: 'debug', stream });
  const request = {
    id: 'a',
    method: 'GET',
    url: '/?page=1',
    raw: {},
    ip: '::1',
  } as unknown as FastifyRequest;
  const probe = { ...request, url: '/healthz' } as FastifyRequest;
  const reply = { statusCode: 200, elapsedTime: 2 } as FastifyReply;
  const log = new RequestLog(logger);
  for (const [level, answered] of [
    ['info', request],
    ['debug', probe],
  ] as const) {
    log.requestCompleted(null, answered, reply);
    const { url } = answered;
    logger[level](
      { requestId: 'a', method: 'GET', url, status: 200, ms: 2, address: '::1' },
      'request_answered',
    );
  }
  const untimed = lines.map((line) => line.replace(/"time":"[^"]*"/, '"time":""'));
  expect(untimed).toHaveLength(4);
  expect(untimed[0]).toBe(untimed[1]);
  expect(untimed[2]).toBe(untimed[3]);
});
