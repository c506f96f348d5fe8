/** A port to listen on, and the variable that changes it. */
export interface MovablePort {
  port: number;
  portVariable: string;
}

/** The error for a port in use by another process: one line that says what to change. */
export class PortTakenError extends Error {
  constructor({ port, portVariable }: MovablePort) {
    super(`port ${port} is already in use; set ${portVariable} to another port`);
    this.name = 'PortTakenError';
  }
}

/** True for the system's refusal to listen on a port that is in use. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
