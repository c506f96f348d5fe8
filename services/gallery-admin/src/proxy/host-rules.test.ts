import { expect, test } from 'vitest';
import { hostRules, isListed, parseHostRule } from './host-rules.ts';

const rules = hostRules({ subdomains: true }).parse(
  'cdn.example, Media.Example:8443, *.img.example, bücher.example',
);

test.each([
  ['https://cdn.example/a', true],
  ['https://CDN.example/a', true],
  ['https://cdn.example:443/a', true],
  ['https://cdn.example:8443/a', false],
  ['https://media.example:8443/a', true],
  ['https://media.example/a', false],
  ['https://a.img.example/', true],
  ['https://a.b.img.example/', true],
  ['https://img.example/', false],
  ['https://aimg.example/', false],
  ['https://a.img.example:8443/', false],
  ['https://a.cdn.example/', false],
  ['https://cdn.example.evil/', false],
  ['https://cdn.example./', false],
  ['https://a.img.example./', false],
  ['https://bücher.example/', true],
  ['https://xn--bcher-kva.example/', true],
])('%s: %j', (url, listed) => {
  expect(isListed(new URL(url), rules)).toBe(listed);
});

test.each(['', 'https://a', 'a/b', 'user@a', '*', '*.', 'a.*', 'a b', 'a:port', 'a?b'])(
  '%j is not a rule',
  (text) => {
    expect(parseHostRule(text)).toBeUndefined();
    expect(hostRules({ subdomains: true }).safeParse(`good.example,${text}`).success).toBe(false);
  },
);

test('a wildcard is refused where only exact hosts are allowed', () => {
  expect(hostRules({ subdomains: false }).safeParse('*.a.example').success).toBe(false);
  expect(hostRules({ subdomains: false }).safeParse('a.example, [::1]:8443').success).toBe(true);
});
