/** The error for a port in use by another process: one line that says what to change. */
export class PortTakenError extends Error {
  /** @param portVariable the variable that changes the port */
  constructor({ port, portVariable }: { port: number; portVariable: string }) {
    super(`port ${port} is already in use; set ${portVariable} to another port`);
    this.name = 'PortTakenError';
  }
}

/** True for the system's refusal to listen on a port that is in use. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
