import { expect, test } from 'vitest';
import { ApiProblem } from '../api/problem.ts';
import { problemWords } from './problem-view.tsx';

test.each([
  [503, 'content_unavailable', 'content does not answer right now; try again', 'serviceAway'],
  [503, 'newsroom_unavailable', 'newsroom refuses the desk: DESK_KEY must be the same in both', 'keyRefused'],
  [503, 'temporarily_unavailable', 'the database is not answering right now; try again', 'databaseAway'],
  [
    503,
    'temporarily_unavailable',
    'the object store is not answering right now; try again',
    'storeUnavailable',
  ],
  [503, 'temporarily_unavailable', 'the service is overloaded; try again', 'serviceBusy'],
  [503, 'temporarily_unavailable', 'too many searches are running; try again later', 'serviceBusy'],
  [
    503,
    'temporarily_unavailable',
    'the file is being replaced; try again',
    'notNow (the file is being replaced; try again)',
  ],
  [
    504,
    'upstream_timeout',
    'content has not answered in time; it may still do what was asked',
    'tookTooLong',
  ],
  [502, 'unexpected_answer', 'Bad Gateway', 'unreachable'],
  [409, 'conflict', 'it is taken', 'it is taken'],
])('%i %s, %s: %s', (status, code, detail, words) => {
  expect(problemWords(new ApiProblem(status, code, detail), (name) => name)).toBe(words);
});
