import { constants, getPriority, setPriority } from 'node:os';
import type { Logger } from '../log/logging.ts';

/** Lowers the priority of this process, whose work can wait. */
export function giveWay(log: Logger): void {
  const priority = constants.priority.PRIORITY_BELOW_NORMAL;
  try {
    if (getPriority() < priority) setPriority(priority);
  } catch (error) {
    log.warn({ err: error }, 'priority_unchanged');
  }
}
