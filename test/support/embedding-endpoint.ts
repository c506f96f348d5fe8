import { type ModelBehaviour, type ModelStub, modelStub } from './model-endpoint.ts';

/** A request to embed texts, as it came over the wire. */
interface EmbeddingRequest {
  path: string | undefined;
  authorization: string | undefined;
  model: string;
  input: string[];
}

/** Answers one request. */
export type EmbeddingBehaviour = ModelBehaviour<EmbeddingRequest>;

/** A stub of an endpoint of embeddings. */
export type EmbeddingStub = ModelStub<EmbeddingRequest>;

/** An answer with the vector of each title, at a cost of so many tokens each. */
export function embeddings(vectorOf: (title: string) => number[], tokens = 5): EmbeddingBehaviour {
  return ({ input }, response) => {
    const data = input.map((title, index) => ({ object: 'embedding', index, embedding: vectorOf(title) }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data, usage: { total_tokens: tokens * input.length } }));
  };
}

/** Starts a stub on a free port; at first it answers 500. */
export function embeddingStub(): Promise<EmbeddingStub> {
  return modelStub(({ model, input }: Pick<EmbeddingRequest, 'model' | 'input'>, { url, headers }) => ({
    path: url,
    authorization: headers.authorization,
    model,
    input,
  }));
}
