import { Failure, type ProblemCode, reasonOf } from '@pressroom/common/failures/failure';
import { threadTask } from '@pressroom/common/threads/thread-task';
import { readOpml } from './opml.ts';
import { mayRead, readPage, readRobots } from './page.ts';
import { readFeed } from './read-feed.ts';
import { applyRule, patternFaults } from './source-rules.ts';

/** Parsers of everything that publishers send, the rules of a robots.txt, and the patterns of editors. */
const READERS = {
  feed: readFeed,
  page: readPage,
  robots: readRobots,
  permission: mayRead,
  opml: readOpml,
  rule: applyRule,
  patterns: patternFaults,
};

/** The kinds of text and their readers. */
export type Readers = typeof READERS;

export type ReadingTask = {
  [Kind in keyof Readers]: { kind: Kind; input: Parameters<Readers[Kind]>[0] };
}[keyof Readers];

/** The value that was read, or the reason why there is none. */
export type ReadingOutcome =
  | { value: ReturnType<Readers[keyof Readers]> }
  | { fault: string; code?: ProblemCode | undefined };

/** Runs in the threads of `Reader`. */
export default threadTask(({ kind, input }: ReadingTask): ReadingOutcome => {
  try {
    return { value: READERS[kind](input as never) };
  } catch (error) {
    // Whatever a library throws, the same text would be refused again.
    return error instanceof Failure
      ? { fault: error.message, code: error.code }
      : { fault: `it cannot be read: ${reasonOf(error)}` };
  }
});
