import { constants, getPriority, setPriority } from 'node:os';
import type { Logger } from '../log/logging.ts';

/** Lets other processes of the machine go first: for one whose work can wait. */
export function giveWay(log: Logger): void {
  const priority = constants.priority.PRIORITY_BELOW_NORMAL;
  try {
    if (getPriority() < priority) setPriority(priority);
  } catch (error) {
    log.warn({ err: error }, 'priority_unchanged');
  }
}
