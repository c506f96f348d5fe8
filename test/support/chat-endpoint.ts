import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What a model was asked, as it came over the wire. */
interface ChatRequest {
  authorization: string | undefined;
  instruction: string;
  /** The message with the data, as text. */
  data: string;
}

/** Answers one request of a model's endpoint. */
export type ChatBehaviour = (request: ChatRequest, response: ServerResponse) => void;

/** A stub of an OpenAI-compatible endpoint that behaves as a test says. */
export interface ChatStub {
  /** The base URL. */
  url: string;
  /** What it was asked, in order. */
  requests: ChatRequest[];
  /** Replaces its behaviour. */
  behave: (behaviour: ChatBehaviour) => void;
  close: () => Promise<void>;
}

/** An answer with this text as the model's, and its cost in tokens. */
export function completion(content: string, tokens = 300): ChatBehaviour {
  return (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        choices: [{ message: { role: 'assistant', content } }],
        usage: { total_tokens: tokens },
      }),
    );
  };
}

/** Starts a stub on a free port; at first it answers 500. */
export async function chatStub(): Promise<ChatStub> {
  const requests: ChatRequest[] = [];
  let behaviour: ChatBehaviour = (_, response) => void response.writeHead(500).end();
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const { messages } = JSON.parse(text);
      const asked = {
        authorization: request.headers.authorization,
        instruction: messages[0].content,
        data: messages[1].content,
      };
      requests.push(asked);
      behaviour(asked, response);
    });
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

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
