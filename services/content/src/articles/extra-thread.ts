import { threadData, threadTask } from '@pressroom/common/threads/thread-task';
import { type CheckedExtra, compileSchema } from './extra-validator.ts';
import type { Extra } from './schema.ts';

export interface ExtraTask {
  extra: Extra;
  all: boolean;
}

const { check } = compileSchema(threadData<object>());

/** Runs in the threads of `ExtraSchema`. */
export default threadTask<ExtraTask, CheckedExtra>(({ extra, all }) => check(extra, all));
