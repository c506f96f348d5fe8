/** A port to listen on, and the variable that moves it. */
export interface MovablePort {
  port: number;
  portVariable: string;
}

/** The error of a port that another process holds: one line, with what to change. */
export class PortTakenError extends Error {
  constructor({ port, portVariable }: MovablePort) {
    super(`port ${port} is taken; set ${portVariable} to another one`);
    this.name = 'PortTakenError';
  }
}

/** True for the system's refusal to listen on a port that is in use. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
