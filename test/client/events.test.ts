import { createHmac, randomBytes } from 'node:crypto';
import { verifyEvent, WebhookVerificationError } from '@pressroom/client/hooks';
import { expect, test } from 'vitest';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const [SECRET, OTHER] = [newSecret(), newSecret()];
const BODY = JSON.stringify({ id: 'evt_1', type: 'hook.test', data: { cache_tags: [] } });

/** The headers of a request that was signed so many seconds ago, as Standard Webhooks say. */
function signed(secrets = [SECRET], agoS = 0): Record<string, string> {
  const time = String(Math.floor(Date.now() / 1000) - agoS);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`evt_1.${time}.${BODY}`).digest('base64')}`;
  });
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': time, 'webhook-signature': signatures.join(' ') };
}

const capitals = Object.fromEntries(
  Object.entries(signed()).map(([name, value]) => [name.replace('webhook', 'Webhook'), value]),
);

test.each([
  ['of Node', signed()],
  ['of fetch', new Headers(signed())],
  ['of another implementation of fetch', { get: (name: string) => signed()[name] ?? null }],
  ['as they were written', capitals],
  ['with the signature of another secret first', signed([OTHER, SECRET])],
  [
    'with a signature of another version',
    { ...signed(), 'webhook-signature': `v1a,x v2 ${signed()['webhook-signature']}` },
  ],
  ['signed nearly 5 minutes ago', signed([SECRET], 290)],
])('a signature is found in headers %s', (_name, headers) => {
  expect(verifyEvent(BODY, headers, SECRET)).toEqual(JSON.parse(BODY));
});

const signature = signed()['webhook-signature'] as string;
test.each([
  ['of another secret', signed([OTHER])],
  ['signed more than 5 minutes ago', signed([SECRET], 301)],
  ['signed more than 5 minutes from now', signed([SECRET], -310)],
  ['none', {}],
  ['without an id', { ...signed(), 'webhook-id': undefined }],
  ['with another id', { ...signed(), 'webhook-id': 'evt_2' }],
  ['with another time', { ...signed(), 'webhook-timestamp': signed([], 10)['webhook-timestamp'] }],
  ['with a time that is none', { ...signed(), 'webhook-timestamp': 'now' }],
  ['with an empty signature', { ...signed(), 'webhook-signature': '' }],
  ['with a version alone', { ...signed(), 'webhook-signature': 'v1' }],
  ['with the beginning of the signature', { ...signed(), 'webhook-signature': signature.slice(0, -4) }],
  ['with a signature that names no version', { ...signed(), 'webhook-signature': signature.slice(3) }],
  ['with characters beyond ASCII', { ...signed(), 'webhook-signature': `v1,${'é'.repeat(44)}` }],
])('nothing is verified by headers %s', (_name, headers) => {
  expect(() => verifyEvent(BODY, headers, SECRET)).toThrow(WebhookVerificationError);
});

test('nothing is verified with another body, or without a secret', () => {
  expect(() => verifyEvent(`${BODY} `, signed(), SECRET)).toThrow(WebhookVerificationError);
  for (const secret of ['', 'whsec_']) expect(() => verifyEvent(BODY, signed(), secret)).toThrow();
});
