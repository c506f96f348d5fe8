import { describe, expect, test } from 'vitest';
import { FIELD_CODES, PROBLEM_CODES } from '../../../../common/src/failures/failure.ts';
import { ApiProblem } from '../api/problem.ts';
import { en } from '../text/en.ts';
import { problemsEn } from '../text/problems-en.ts';
import { problemsZh } from '../text/problems-zh.ts';
import type { Say } from '../text/texts.ts';
import { zh } from '../text/zh.ts';
import { errorWords, faultWords, problemWords } from './problem-view.tsx';

const inEnglish = speak({ ...en, ...problemsEn });
const inChinese = speak({ ...zh, ...problemsZh });

function speak(texts: Readonly<Record<string, string>>): Say {
  return (name, values = {}) =>
    (texts[name] ?? name).replaceAll(/\{\{(\w+)\}\}/g, (_, value) => String(values[value]));
}

test.each([
  [503, 'content_unavailable', undefined, 'serviceAway'],
  [503, 'newsroom_unavailable', 'key_refused', 'keyRefused'],
  [503, 'temporarily_unavailable', 'database', 'databaseAway'],
  [503, 'temporarily_unavailable', 'object_store', 'storeUnavailable'],
  [503, 'temporarily_unavailable', 'busy', 'serviceBusy'],
  [503, 'temporarily_unavailable', 'of_tomorrow', 'notNow'],
  [504, 'upstream_timeout', undefined, 'tookTooLong'],
  [502, 'unexpected_answer', undefined, 'unreachable'],
] as const)('%i %s, %s: %s', (status, code, reason, words) => {
  expect(problemWords(new ApiProblem(status, code, 'the detail', { reason }), inEnglish)).toBe(en[words]);
});

describe.each([
  ['English', inEnglish],
  ['Chinese', inChinese],
])('in %s', (_language, say) => {
  const words = (code: string, status = 409) =>
    problemWords(new ApiProblem(status, code, 'the detail', { requestId: 'r-1' }), say);

  test('a code that is not known here is refused by its number, without its detail', () => {
    expect(words('of_tomorrow')).toContain('r-1');
    expect(words('of_tomorrow')).not.toContain('the detail');
  });

  test('every code of a problem has a sentence', () => {
    // A passing fault has the words of what is away, none of its own.
    const codes = PROBLEM_CODES.filter((code) => !/unavailable$|^upstream_timeout$/.test(code));
    expect(codes.filter((code) => words(code) === words('of_tomorrow'))).toEqual([]);
    const passing = PROBLEM_CODES.map((code) => words(code, 503));
    expect([...codes.map((code) => words(code)), ...passing].join(' ')).not.toMatch(
      /the detail|problem_|\{\{|undefined/,
    );
  });

  test('every code of a fault in a field has a sentence, with its limit', () => {
    const fault = (code: string) => faultWords({ field: 'extra.3', code }, say);
    const others = FIELD_CODES.filter((code) => code !== 'invalid');
    expect(others.filter((code) => fault(code) === fault('of_tomorrow'))).toEqual([]);
    expect(fault('of_tomorrow')).toBe(say('fault_invalid'));
    for (const code of ['too_long', 'too_short', 'too_large', 'too_small']) {
      expect(faultWords({ field: 'title', code, limit: 200 }, say)).toContain('200');
    }
  });

  test('faults away from their fields name them', () => {
    const fields = [{ field: 'title', code: 'too_long', limit: 200 }];
    const problem = new ApiProblem(422, 'validation_failed', 'title: the detail', { fields });
    expect(problemWords(problem, say)).toContain(say('field_title'));
    expect(problemWords(problem, say)).toContain('200');
  });

  test('an exception of the page says nothing of itself', () => {
    expect(errorWords(new TypeError('x is not a function'), say)).toBe(say('unexpected'));
  });
});
