import { expect, test } from 'vitest';
import { answers, ended, explained, refused } from './case.ts';

const heard = (statuses: number[], { closed = true, rest = '' } = {}) => ({
  answers: [],
  statuses,
  closed,
  rest,
  ms: 1,
});

test.each([
  ['the refusal alone', heard([400]), true],
  ['another status', heard([200]), false],
  ['no answer', heard([]), false],
  ['an answer to what was hidden behind it', heard([400, 200]), false],
  ['a connection that stays open', heard([400], { closed: false }), false],
])('a refusal and the end: %s', (_name, got, holds) => expect(refused().holds(got)).toBe(holds));

test('one of several statuses may refuse', () => {
  expect(refused(400, 501).holds(heard([501]))).toBe(true);
  expect(refused(501).holds(heard([400]))).toBe(false);
});

test.each([
  ['one of the lists', heard([200, 400]), true],
  ['the other list', heard([200]), true],
  ['one answer too many', heard([200, 400, 200]), false],
  ['bytes that are no answer', heard([200], { rest: 'x' }), false],
])('answers in one of the orders given: %s', (_name, got, holds) =>
  expect(answers([200, 400], [200]).holds(got)).toBe(holds),
);

test.each([
  ['nothing', heard([]), true],
  ['a timeout', heard([408]), true],
  ['an answer', heard([200]), false],
  ['two refusals', heard([400, 400]), false],
  ['a connection that stays open', heard([], { closed: false }), false],
])('the end of the connection: %s', (_name, got, holds) => expect(ended().holds(got)).toBe(holds));

const JSON_HEAD = 'HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\n\r\n';
const answer = (status: number, head = JSON_HEAD, body = `{"status":${status}}`) => ({
  ...heard([status]),
  answers: [{ status, head, body }],
});

test.each([
  ['a problem document', answer(400), true],
  ['one of the gallery', answer(400, JSON_HEAD.replace('problem+json', 'json')), true],
  ['a success of any form', answer(200, 'HTTP/1.1 200 OK\r\n\r\n', ''), true],
  ['a page', answer(400, 'HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n', '<h1>'), false],
  ['a document about another status', answer(400, JSON_HEAD, '{"status":500}'), false],
  ['half a document', answer(400, JSON_HEAD, '{"sta'), false],
  ['a fault of the server', answer(500), false],
  ['nothing, and the end', heard([]), true],
  ['bytes that are no answer', heard([], { rest: '<html>' }), false],
])('errors are explained: %s', (_name, got, holds) => expect(explained().holds(got)).toBe(holds));

test('what is explained may need a certain status', () => {
  expect(explained(414).holds(answer(414))).toBe(true);
  expect(explained(414).holds(answer(400))).toBe(false);
  expect(explained(414).holds(heard([]))).toBe(false);
});
