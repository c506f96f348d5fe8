import type { Conditions, Figure } from '../figures/figure.ts';
import type { Part } from '../figures/parts.ts';
import { type Asked, measureInTurns } from './turns.ts';

/** How long all servers take under one load, about, in s. */
const SECONDS = 8;

/** A request, with the loads under which servers are asked for it. */
export interface Question<Servers> {
  what: string;
  /** How many requests are made at once, one number after the other. */
  connections: readonly number[];
  /** Those that answer it, each in its own form. */
  choose: (servers: Servers) => Asked[];
}

/** The servers of a bench, which are started when its first part needs them. */
export class Contest<Servers extends { stop: () => Promise<void> }> {
  readonly #start: () => Promise<Servers>;
  #started: Promise<Servers> | undefined;

  constructor(start: () => Promise<Servers>) {
    this.#start = start;
  }

  /** The measurements, each of all servers under one load. */
  parts(questions: readonly Question<Servers>[], at: Conditions = {}): Part<Figure[]>[] {
    const conditions = Object.entries(at).map(([name, value]) => `${value} ${name}, `);
    return questions.flatMap(({ what, connections, choose }) =>
      connections.map((count) => ({
        name: `${conditions.join('')}${what}, ${count} connections`,
        seconds: SECONDS,
        run: async () => {
          this.#started ??= this.#start();
          return measureInTurns(what, choose(await this.#started), { ...at, connections: count });
        },
      })),
    );
  }

  /** Ends the servers, if they were started. */
  async stop(): Promise<void> {
    await (await this.#started)?.stop();
  }
}
