import { z } from 'zod';
import { askEndpoint, EndpointFault, type EndpointSettings } from '../models/model-endpoint.ts';

/** The most numbers of a vector. */
const MOST_DIMENSIONS = 4096;

/** The largest answer that is read, in bytes: a batch of the largest vectors. */
const MOST_BYTES = 4_000_000;

const answer = z.object({
  data: z.array(
    z.object({
      index: z.int(),
      embedding: z
        .array(z.number())
        .min(2)
        .max(MOST_DIMENSIONS)
        .refine((values) => values.some((value) => value !== 0), 'a vector of zeros'),
    }),
  ),
  usage: z.object({ total_tokens: z.int().nonnegative() }).nullish(),
});

/** The vectors of titles, and the tokens that they cost, if the endpoint says so. */
export interface EmbeddedTitles {
  vectors: number[][];
  tokens: number | undefined;
}

/** Has a model embed titles. Throws {@link EndpointFault} for whatever goes wrong. */
export async function embedTitles(
  settings: EndpointSettings,
  titles: readonly string[],
): Promise<EmbeddedTitles> {
  const body = { model: settings.model, input: titles };
  const said = await askEndpoint(settings, { path: '/embeddings', body, mostBytes: MOST_BYTES });
  const { data: read, error } = answer.safeParse(said);
  if (read === undefined) throw new EndpointFault(error.issues[0]?.message ?? 'it is no list of vectors');
  const vectors = read.data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  const isComplete =
    vectors.length === titles.length &&
    new Set(read.data.map(({ index }) => index)).size === titles.length &&
    vectors.every(({ length }) => length === vectors[0]?.length);
  if (!isComplete) throw new EndpointFault('it has not one vector of one length for each title');
  return { vectors, tokens: read.usage?.total_tokens };
}
