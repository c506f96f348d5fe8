import { expect, test } from 'vitest';
import { applyRule, checkRules, patternFaults, type RuleSubject, rulingOf } from './source-rules.ts';
import { sourceUrl } from './source-settings.ts';

const subject = (title: string, summary: string | null = null) => ({
  title,
  summary,
  url: 'https://source.example/sport/1',
});
function readRules(rules: string[], off: string[] = []) {
  return (of: RuleSubject) =>
    rulingOf(
      rules.map((rule) => ({
        rule,
        matches: off.includes(rule) ? undefined : applyRule({ rule, subjects: [of] }),
      })),
      0,
    );
}
function messageOf(refuse: () => void): string {
  try {
    refuse();
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  throw new Error('nothing is refused');
}
const droppedBy = (rules: string[], title: string) => readRules(rules)(subject(title)).droppedBy;

test('the first rule that drops or keeps decides, and without one the keeping rules do', () => {
  const drop = 'drop if title ~ /sponsored|广告/i';
  expect(droppedBy([drop], 'SPONSORED: a car')).toBe(drop);
  expect(droppedBy([drop], '一则广告')).toBe(drop);
  expect(droppedBy([drop], 'A car')).toBeUndefined();
  const keep = 'keep if any ~ /car/';
  expect(droppedBy([keep, drop], 'Sponsored car')).toBeUndefined();
  expect(droppedBy([drop, keep], 'Sponsored car')).toBe(drop);
  expect(droppedBy([keep], 'A boat')).toBe('no rule keeps it');
  expect(droppedBy(['drop if summary !~ /./'], 'No summary')).toBe('drop if summary !~ /./');
});

test('a category is set by the first rule that matches, points add up, and patterns cost linear time', () => {
  const rule = readRules([
    'set category product if url ~ /\\/sport\\//',
    'set category research if any ~ /./',
    'score +10 if title ~ /final/i',
    'score -4 if title ~ /^(a+)+$|Final/',
  ]);
  expect(rule(subject('Final'))).toEqual({ droppedBy: undefined, category: 'product', points: 6 });
  expect(rule(subject(`${'a'.repeat(5000)}!`)).points).toBe(0);
});

test.each(['drop title ~ /x/', 'score 10 if title ~ /x/'])('%s is refused', (text) => {
  expect(() => checkRules([text])).toThrow('is not a rule, such as: drop if title');
});

test.each([
  [`drop if title ~ /${'x'.repeat(10_000)}/`, 'is too long: it has at most 500 characters'],
  [`drop if title ~ /${'𝒙'.repeat(501)}/i`, 'is too long: it has at most 500 characters'],
  [`drop title ~ /${'x'.repeat(10_000)}/`, 'is not a rule, such as: drop if title'],
])('a long rule is refused with its beginning', (text, reason) => {
  const message = messageOf(() => checkRules([text]));
  expect(message).toContain(reason);
  expect(message).toContain(`"${text.slice(0, 20)}`);
  expect(message.length).toBeLessThan(300);
});

test('a long pattern is refused with its beginning, and so is an address', () => {
  expect(patternFaults([`drop if title ~ /(${'x'.repeat(499)}/`])[0]?.length).toBeLessThan(200);
  expect(messageOf(() => sourceUrl('x'.repeat(10_000))).length).toBeLessThan(200);
  expect(() => checkRules([`drop if title ~ /${'𝒙'.repeat(500)}/i`])).not.toThrow();
});

test.each([
  ['drop if title ~ /(x/', 'is not a valid RE2 pattern'],
  ['drop if title ~ /(?=x)/', 'is not a valid RE2 pattern'],
  ['drop if any ~ /(?:(?:a|b|ab| ){0,30}){0,30}x0/', 'takes too long: repeat less often'],
  [`drop if any ~ /${'x{0,999}'.repeat(60)}/i`, 'takes too long: repeat less often'],
])('the pattern of %s is refused', (rule, reason) => {
  expect(patternFaults(['keep if any ~ /x/', rule])).toEqual([null, expect.stringContaining(reason)]);
});

test('what a rule that is switched off might have kept is not dropped', () => {
  const [sport, cars] = ['keep if url ~ /football/', 'keep if title ~ /car/'];
  expect(readRules([sport, cars])(subject('A boat')).droppedBy).toBe('no rule keeps it');
  expect(readRules([sport, cars], [cars])(subject('A boat')).droppedBy).toBeUndefined();
});
