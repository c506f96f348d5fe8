import { z } from 'zod';
import { askEndpoint, EndpointFault, type EndpointSettings } from '../models/model-endpoint.ts';

/** What a model is asked. */
export interface ChatQuestion {
  /** The instruction; never contains a feed's text. */
  instruction: string;
  /** The data, which becomes JSON in a separate message. */
  data: object;
  /** The name and JSON Schema of the answer. */
  answer: { name: string; schema: object };
}

/** An answer of a model: text that should be JSON, and the tokens that it cost, if the endpoint says so. */
export interface ChatAnswer {
  text: string;
  tokens: number | undefined;
}

/** The largest answer that is read, in bytes. */
const MOST_BYTES = 1_000_000;

/** The most tokens of an answer. */
export const ANSWER_TOKENS = 1200;

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z.object({ total_tokens: z.int().nonnegative() }).optional(),
});

/** Asks a model for structured output. Throws {@link EndpointFault} for whatever goes wrong. */
export async function askModel(
  settings: EndpointSettings,
  { instruction, data, answer }: ChatQuestion,
  signal: AbortSignal,
): Promise<ChatAnswer> {
  const body = {
    model: settings.model,
    temperature: 0,
    max_tokens: ANSWER_TOKENS,
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: JSON.stringify(data) },
    ],
    response_format: {
      type: 'json_schema',
      json_schema: { name: answer.name, strict: true, schema: answer.schema },
    },
  };
  const said = await askEndpoint(
    settings,
    { path: '/chat/completions', body, mostBytes: MOST_BYTES },
    signal,
  );
  const { data: read, error } = completion.safeParse(said);
  if (read === undefined) throw new EndpointFault(error.message);
  return { text: read.choices[0]?.message.content ?? '', tokens: read.usage?.total_tokens };
}
