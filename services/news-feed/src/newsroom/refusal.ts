/** Thrown where a command or a line asks for what cannot be done: the message says why and what to change. */
export class Refusal extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Refusal';
  }
}
