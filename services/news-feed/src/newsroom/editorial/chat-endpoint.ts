import { z } from 'zod';

/** Where and how a model is asked. */
export interface ChatSettings {
  /** The base of an OpenAI-compatible API, such as `http://127.0.0.1:11434/v1`. */
  url: string;
  /** Sent as a bearer token; local endpoints often need none. */
  key: string | undefined;
  model: string;
  timeoutMs: number;
}

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

/** A fault of the endpoint. */
export class ChatFault extends Error {
  /** For how long the endpoint asks to be left alone, in milliseconds. */
  readonly pauseMs: number | undefined;

  constructor(message: string, pauseMs?: number) {
    super(message);
    this.name = 'ChatFault';
    this.pauseMs = pauseMs;
  }
}

/** The largest answer that is read, in bytes. */
const MOST_BYTES = 1_000_000;

/** The most tokens of an answer. */
export const ANSWER_TOKENS = 1200;

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z.object({ total_tokens: z.int().nonnegative() }).optional(),
});

/** Asks a model for structured output. Throws {@link ChatFault} for whatever goes wrong. */
export async function askModel(
  { url, key, model, timeoutMs }: ChatSettings,
  { instruction, data, answer }: ChatQuestion,
  signal: AbortSignal,
): Promise<ChatAnswer> {
  try {
    const response = await fetch(`${url.replace(/\/+$/u, '')}/chat/completions`, {
      method: 'POST',
      // A redirect would carry the key to another host.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({
        model,
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
      }),
    });
    const text = await readBounded(response);
    if (!response.ok) {
      throw new ChatFault(`the endpoint answered ${response.status}`, pauseOf(response.headers));
    }
    const { choices, usage } = completion.parse(JSON.parse(text));
    return { text: choices[0]?.message.content ?? '', tokens: usage?.total_tokens };
  } catch (error) {
    if (error instanceof ChatFault) throw error;
    throw new ChatFault(error instanceof Error ? error.message : String(error));
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new ChatFault('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `Retry-After` in milliseconds, where it is a number of seconds. */
function pauseOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 3600) * 1000 : undefined;
}
