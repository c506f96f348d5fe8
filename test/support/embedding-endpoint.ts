import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

/** What an endpoint was asked to embed, as it came over the wire. */
interface EmbeddingRequest {
  path: string | undefined;
  authorization: string | undefined;
  model: string;
  input: string[];
}

/** Answers one request. */
export type EmbeddingBehaviour = (request: EmbeddingRequest, response: ServerResponse) => void;

/** A stub of an OpenAI-compatible endpoint of embeddings that behaves as a test says. */
export interface EmbeddingStub {
  /** The base URL. */
  url: string;
  /** What it was asked, in order. */
  requests: EmbeddingRequest[];
  /** Replaces its behaviour. */
  behave: (behaviour: EmbeddingBehaviour) => void;
  close: () => Promise<void>;
}

/** An answer with the vector of each title, at a cost of so many tokens each. */
export function embeddings(vectorOf: (title: string) => number[], tokens = 5): EmbeddingBehaviour {
  return ({ input }, response) => {
    const data = input.map((title, index) => ({ object: 'embedding', index, embedding: vectorOf(title) }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data, usage: { total_tokens: tokens * input.length } }));
  };
}

/** Starts a stub on a free port; at first it answers 500. */
export async function embeddingStub(): Promise<EmbeddingStub> {
  const requests: EmbeddingRequest[] = [];
  let behaviour: EmbeddingBehaviour = (_, response) => void response.writeHead(500).end();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { model, input } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const asked = { path: request.url, authorization: request.headers.authorization, model, input };
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
