import { expect, test } from 'vitest';
import { createLogger } from './logging.ts';

function written(event: object): string {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  createLogger({ service: 'test', level: 'info', stream }).warn(event, 'happened');
  return lines.join('');
}

test('an event is a line of JSON with its time, its service and the name of its level', () => {
  const line = written({ count: 1 });
  expect(line).toMatch(/^[^\n]*\n$/);
  expect(JSON.parse(line)).toEqual({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    service: 'test',
    count: 1,
    msg: 'happened',
  });
});

test.each([
  ['a header', { headers: { authorization: 'Bearer hunter2', cookie: 'a=hunter2', 'x-api-key': 'hunter2' } }],
  ['a request', { req: { headers: { authorization: 'hunter2', 'x-api-key': 'hunter2' } } }],
  ['a cookie that is set', { res: { headers: { 'set-cookie': 'session=hunter2' } } }],
  ['a setting', { password: 'hunter2', config: { password: 'hunter2', secretAccessKey: 'hunter2' } }],
  [
    'a command that Redis refused',
    {
      err: Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: ['default', 'hunter2'] } }),
    },
  ],
])('the secret of %s is not written', (_where, event) => {
  expect(written(event)).not.toContain('hunter2');
  expect(written(event)).toContain('[redacted]');
});
