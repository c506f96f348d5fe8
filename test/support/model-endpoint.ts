import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

/** Answers one request of a model's endpoint. */
export type ModelBehaviour<Asked> = (asked: Asked, response: ServerResponse) => void;

/** A stub of an OpenAI-compatible endpoint that behaves as a test says. */
export interface ModelStub<Asked> {
  /** The base URL. */
  url: string;
  /** Requests so far, in order. */
  requests: Asked[];
  /** Replaces its behaviour. */
  behave: (behaviour: ModelBehaviour<Asked>) => void;
  close: () => Promise<void>;
}

/** Starts a stub on a free port; at first it answers 500. `askedBy` reads what a request asks. */
export async function modelStub<Body, Asked>(
  askedBy: (body: Body, request: IncomingMessage) => Asked,
): Promise<ModelStub<Asked>> {
  const requests: Asked[] = [];
  let behaviour: ModelBehaviour<Asked> = (_, response) => void response.writeHead(500).end();
  const server = createServer(async (request, response) => {
    const asked = askedBy((await json(request)) as Body, request);
    requests.push(asked);
    behaviour(asked, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    behave: (next) => {
      behaviour = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
