/** One thing that `pnpm check` checks. */
export interface Step {
  /** The name of the step in the report. */
  readonly name: string;
  /** Resolves to the faults found, one per line; empty if the check passes. */
  run(): Promise<string[]>;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Runs every step in order, even after one has failed, and reports each as it ends.
 * A step that throws has failed, and its error is reported as the fault.
 */
export async function runSteps(steps: readonly Step[], report: (line: string) => void): Promise<Tally> {
  let failed = 0;
  for (const step of steps) {
    const faults = await step.run().catch((error: unknown) => [String(error)]);
    report(`${faults.length === 0 ? 'pass' : 'FAIL'}  ${step.name}`);
    for (const fault of faults) report(`      ${fault}`);
    if (faults.length > 0) failed += 1;
  }
  return { passed: steps.length - failed, failed };
}
