import { expect, test } from 'vitest';
import { wallOf } from './walls.ts';

const ASKED = 'https://source.example/feed';

const answer = (page: string, members: object = {}) => ({
  ...{ status: 200, url: ASKED, headers: {}, body: Buffer.from(page) },
  ...members,
});

test.each([
  ['its header', answer('', { status: 403, headers: { 'cf-mitigated': 'challenge' } }), /^Cloudflare .*403/],
  [
    'its page',
    answer('', { status: 503, refusal: Buffer.from('<title>Just a moment...</title>') }),
    /^Cloudflare/,
  ],
  ['a page with a status of success', answer('<script id="anubis_challenge">'), /^Anubis/],
  ['a header of AWS', answer('', { status: 202, headers: { 'x-amzn-waf-action': 'captcha' } }), /^AWS WAF/],
])('a challenge is told by %s', (_by, given, reason) => {
  const wall = wallOf(given, ASKED);
  expect(wall).toEqual({ code: 'source_challenge', reason: expect.stringMatching(reason) });
});

test.each([
  'https://consent.source.example/?continue=x',
  'https://guce.source.example/consent',
  'https://source.example/v2/collectConsent?sessionId=1',
  'https://www.source.example/privacy-gate?x=1',
])('a redirect to %s asks for consent', (url) => {
  expect(wallOf(answer('<html>', { url }), ASKED)?.code).toBe('source_consent_wall');
});

test.each([
  [
    'an ordinary page of a protected site',
    answer('<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js">'),
  ],
  [
    'a page about consent',
    answer('<title>Consent of the governed</title>', { url: 'https://source.example/consented' }),
  ],
  ['a refusal', answer('', { status: 403, headers: { server: 'cloudflare' } })],
  [
    'a feed whose own address is of consent',
    answer('', { url: 'https://consent.example/feed' }),
    'https://consent.example/feed',
  ],
])('%s is neither', (_name, given, asked = ASKED) => {
  expect(wallOf(given, asked as string)).toBeUndefined();
});
