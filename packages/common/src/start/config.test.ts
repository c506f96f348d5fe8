import { expect, test } from 'vitest';
import { z } from 'zod';
import { isListed } from '../http/address-list.ts';
import {
  cidrs,
  commonSettings,
  connectionUrl,
  type Environment,
  integer,
  origins,
  readConfig,
  secret,
} from './config.ts';

const DATABASE_URL = 'postgres://pressroom:hunter2@db.example/pressroom';

/** The lines of the configuration error for `env`. */
function faultsOf<Shape extends Record<string, z.ZodType>>(shape: Shape, env: Environment): string[] {
  try {
    readConfig(shape, env);
  } catch (error) {
    return String(error).split('\n');
  }
  throw new Error('the configuration was accepted');
}

test('every error is listed with the name, the given value and what is expected, with secrets hidden', () => {
  const env = {
    DATABASE_URL: 'mysql://pressroom:hunter2@db.example/pressroom',
    DATABASE_POOL_SIZE: '0',
    DATABASE_CONNECT_TIMEOUT_MS: '2s',
    LOG_LEVEL: 'loud',
    TRUST_PROXY: 'everybody',
    METRICS_PORT: '65536',
    REDIS_URL: 'localhost:6379',
    CACHE_BYTES: '-1',
  };
  expect(faultsOf(commonSettings, env)).toEqual([
    'ConfigError: The configuration is invalid:',
    '  DATABASE_URL is (hidden), expected a URL such as postgres://user:password@host/name',
    '  DATABASE_POOL_SIZE is "0", expected a whole number from 1 to 1000',
    '  DATABASE_CONNECT_TIMEOUT_MS is "2s", expected a whole number from 10 to 60000 (ms)',
    '  LOG_LEVEL is "loud", expected one of trace, debug, info, warn, error, fatal, silent',
    '  TRUST_PROXY is "everybody", expected the number of proxies in front, or their addresses or CIDR blocks separated by commas',
    '  METRICS_PORT is "65536", expected a whole number from 0 to 65535',
    '  REDIS_URL is (hidden), expected a URL such as redis://user:password@host/name',
    '  CACHE_BYTES is "-1", expected a whole number from 0 to 8589934592 (bytes)',
  ]);
});

test('an empty variable counts as absent', () => {
  expect(faultsOf(commonSettings, { DATABASE_URL: '' })).toContain(
    '  DATABASE_URL is not set, expected a URL such as postgres://user:password@host/name',
  );
  const config = readConfig(commonSettings, {
    DATABASE_URL,
    METRICS_PORT: '',
    LOG_LEVEL: '',
    CACHE_BYTES: '',
  });
  expect(config).toMatchObject({ METRICS_PORT: undefined, LOG_LEVEL: 'info', CACHE_BYTES: 33_554_432 });
});

test('unset variables have their defaults, and other variables are ignored', () => {
  expect(readConfig(commonSettings, { DATABASE_URL, PATH: '/bin' })).toEqual({
    DATABASE_URL,
    DATABASE_POOL_SIZE: 10,
    DATABASE_CONNECT_TIMEOUT_MS: 2000,
    DATABASE_STATEMENT_TIMEOUT_MS: 5000,
    DRAIN_SECONDS: 0,
    EVENT_LOOP_DELAY_LIMIT_MS: 1000,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    OTEL_TRACES_SAMPLER_ARG: 1,
    SHUTDOWN_TIMEOUT_MS: 9500,
    CACHE_BYTES: 33_554_432,
  });
});

test.each([
  ['a rule about length', secret(z.string()).min(8, 'longer')],
  ['a default', secret(z.string()).min(8, 'longer').default('12345678')],
  ['a transformation', secret(z.string()).transform(Number).refine(Number.isInteger, 'a number')],
  ['all of them', secret(z.string()).transform(Number).refine(Number.isInteger, 'a number').optional()],
  ['a connection URL', connectionUrl('redis').optional()],
])('a secret stays hidden below %s', (_what, schema) => {
  const faults = faultsOf({ TOKEN: schema }, { TOKEN: 'hunter2' });
  expect(faults[1]).toMatch(/^ {2}TOKEN is \(hidden\), expected /);
  expect(faults.join('\n')).not.toContain('hunter2');
});

test.each(['', ' 1', '1 ', '+1', '1.0', '1e3', '0x10', '１', '9'.repeat(16), 'NaN'])(
  'a whole number is not written %j',
  (value) => {
    expect(integer(0, 2 ** 40).safeParse(value).success).toBe(false);
  },
);

test.each([
  ['10.0.0.0/8', ['10.1.2.3', '::ffff:10.1.2.3'], ['11.0.0.1', '::1']],
  ['10.0.0.1', ['10.0.0.1'], ['10.0.0.2']],
  ['::1, 192.168.0.0/16,fd00::/8', ['::1', '192.168.9.9', 'fdab::1'], ['::2', '192.169.0.1', 'fe80::1']],
  ['0.0.0.0/0', ['1.2.3.4', '::ffff:1.2.3.4'], ['2001:db8::1']],
  ['::/0', ['2001:db8::1'], []],
])('the list %s holds some addresses and not others', (list, held, others) => {
  const parsed = cidrs().parse(list);
  for (const address of held) expect(isListed(parsed, address), address).toBe(true);
  for (const address of [...others, '', 'unknown', '10.0.0', '<script>']) {
    expect(isListed(parsed, address), address).toBe(false);
  }
});

test.each([
  '10.0.0.0/33',
  '::1/129',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0/-1',
  '10.0.0.0/08x',
  '10.0.0',
  '10.0.0.1,',
  'fe80::1%eth0',
  'example.com',
])('%s is not a list of addresses', (list) => {
  expect(cidrs().safeParse(list).success).toBe(false);
  expect(commonSettings.TRUST_PROXY.safeParse(list).success).toBe(false);
});

test('TRUST_PROXY is a number of proxies, or a list of their addresses', () => {
  expect(commonSettings.TRUST_PROXY.parse('2')).toBe(2);
  const list = commonSettings.TRUST_PROXY.parse('10.0.0.0/8, ::1');
  if (list === undefined || typeof list === 'number') throw new Error('no list');
  expect(isListed(list, '10.9.9.9')).toBe(true);
  expect(commonSettings.TRUST_PROXY.safeParse('true').success).toBe(false);
  expect(commonSettings.TRUST_PROXY.safeParse('-1').success).toBe(false);
});

test('origins are read as browsers write them', () => {
  const read = origins().parse('https://Editor.example:443/, http://localhost:3000,https://bücher.example');
  expect([...read]).toEqual([
    'https://editor.example',
    'http://localhost:3000',
    'https://xn--bcher-kva.example',
  ]);
});

test.each([
  '*',
  'null',
  'editor.example',
  'https://a.example/path',
  'https://a.example,',
  'https://u@a.example',
  'file:///',
])('%s is not a list of origins', (list) => {
  expect(origins().safeParse(list).success).toBe(false);
});
