import type { ApiProblem } from '../../shared/api/problem.ts';
import type { Step } from './steps.ts';

/** The subject of a task, for the words that tell of it. */
export type Work =
  | { readonly action: 'delete' | 'restore' | 'undo'; readonly count: number }
  | {
      readonly action: 'copy' | 'move';
      readonly count: number;
      readonly dest: string;
      /** The chosen paths that were no longer there. */
      readonly gone?: number;
    }
  | { readonly action: 'rename'; readonly from: string; readonly to: string };

/** Work on files and folders, from its first request to its outcome. */
export interface Task {
  /** The `Idempotency-Key`s of its requests begin with it. */
  readonly id: string;
  readonly tab: string;
  readonly work: Work;
  /** One request after the other; null for a batch of another page, whose paths only the service has. */
  readonly steps: readonly (Step | null)[];
  readonly done: number;
  /** The ids of the batches that the steps have become, in their order. */
  readonly batches: readonly string[];
  readonly state: 'running' | 'done' | 'failed' | 'interrupted';
  /** The progress of the current step; `total` is null while unknown. */
  readonly progress?: { readonly done: number; readonly total: number | null } | undefined;
  readonly affected: number;
  readonly undo: readonly Step[];
  /** Why it has failed, or what it waits for. */
  readonly problem?: ApiProblem | undefined;
}
