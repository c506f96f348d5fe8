import { type ModelBehaviour, type ModelStub, modelStub } from './model-endpoint.ts';

/** A request to the model, as it came over the wire. */
interface ChatRequest {
  authorization: string | undefined;
  instruction: string;
  /** The message with the data, as text. */
  data: string;
  /** Parameters beyond the messages. */
  parameters: Record<string, unknown>;
}

/** Answers one request of a model's endpoint. */
export type ChatBehaviour = ModelBehaviour<ChatRequest>;

/** A stub of an endpoint of completions. */
export type ChatStub = ModelStub<ChatRequest>;

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
export function chatStub(): Promise<ChatStub> {
  return modelStub(({ messages, ...parameters }: { messages: { content: string }[] }, { headers }) => ({
    authorization: headers.authorization,
    instruction: messages[0]?.content ?? '',
    data: messages.at(-1)?.content ?? '',
    parameters,
  }));
}
