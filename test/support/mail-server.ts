import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

interface Received {
  from: string;
  to: string[];
  text: string;
}

/** A mail server on a free port of this machine, without encryption, for the user `desk` with `p@ss`. */
export class TestMailServer {
  readonly received: Received[] = [];
  /** Refuses every receiver. */
  isRefusing = false;
  readonly #server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, callback) =>
      username === 'desk' && password === 'p@ss'
        ? callback(null, { user: username })
        : callback(new Error('no')),
    onRcptTo: (_address, _session, callback) => callback(this.isRefusing ? new Error('not here') : null),
    onData: (stream, { envelope }, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        this.received.push({ from, to, text: Buffer.concat(chunks).toString() });
        callback();
      });
    },
  });

  /** Host and port. */
  get host(): string {
    return `127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#server.close(resolve));
  }
}
