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

const content = z.union([
  z.string(),
  // Some answer in parts.
  z
    .array(z.object({ text: z.string().optional() }))
    .transform((parts) => parts.map(({ text }) => text ?? '').join('')),
]);

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content }) })).min(1),
  usage: z.object({ total_tokens: z.int().nonnegative() }).nullish(),
});

/** What an endpoint is asked for beyond the messages, and where the instruction stands. */
interface Dialect {
  limit: 'max_tokens' | 'max_completion_tokens' | undefined;
  temperature: 0 | undefined;
  format: 'json_schema' | 'json_object' | undefined;
  instructs: 'system' | 'user';
}

const FIRST: Dialect = { limit: 'max_tokens', temperature: 0, format: 'json_schema', instructs: 'system' };

/** What the next try goes without, by what a refusal says. */
const STEPS: readonly (readonly [RegExp, (dialect: Dialect) => Partial<Dialect> | undefined])[] = [
  [
    /max_(?:completion_)?tokens/iu,
    ({ limit }) => limit && { limit: limit === 'max_tokens' ? 'max_completion_tokens' : undefined },
  ],
  [/temperature/iu, ({ temperature }) => (temperature === 0 ? { temperature: undefined } : undefined)],
  [/response_?format|json|schema|structured|grammar/iu, withoutFormat],
  [/system|role/iu, ({ instructs }) => (instructs === 'system' ? { instructs: 'user' } : undefined)],
];

function withoutFormat({ format }: Dialect): Partial<Dialect> | undefined {
  return format && { format: format === 'json_schema' ? 'json_object' : undefined };
}

/** A model that is asked for structured output, at an endpoint of whatever dialect. */
export class ChatEndpoint {
  readonly settings: EndpointSettings;
  #dialect = FIRST;
  #isKnown = false;

  constructor(settings: EndpointSettings) {
    this.settings = settings;
  }

  /**
   * Asks the model. What the endpoint does not know is left out, and not asked of it again. Throws
   * {@link EndpointFault} for whatever goes wrong.
   */
  async ask(question: ChatQuestion, signal: AbortSignal): Promise<ChatAnswer> {
    let dialect = this.#dialect;
    let refused: EndpointFault | undefined;
    for (;;) {
      try {
        const answer = await this.#ask(question, dialect, signal);
        this.#dialect = dialect;
        this.#isKnown = true;
        return answer;
      } catch (error) {
        if (!(error instanceof EndpointFault) || !(error.status === 400 || error.status === 422)) throw error;
        refused ??= error;
        const next = this.#nextAfter(error.message, dialect);
        if (next === undefined) throw refused;
        dialect = next;
      }
    }
  }

  #nextAfter(said: string, dialect: Dialect): Dialect | undefined {
    for (const [pattern, step] of STEPS) {
      const change = pattern.test(said) ? step(dialect) : undefined;
      if (change !== undefined) return { ...dialect, ...change };
    }
    // Of a dialect that has worked, what says nothing of it is about the question.
    const change = this.#isKnown ? undefined : withoutFormat(dialect);
    return change && { ...dialect, ...change };
  }

  async #ask(
    { instruction, data, answer }: ChatQuestion,
    { limit, temperature, format, instructs }: Dialect,
    signal: AbortSignal,
  ): Promise<ChatAnswer> {
    const given = JSON.stringify(data);
    const body = {
      model: this.settings.model,
      temperature,
      ...(limit && { [limit]: ANSWER_TOKENS }),
      messages:
        instructs === 'system'
          ? [
              { role: 'system', content: instruction },
              { role: 'user', content: given },
            ]
          : [{ role: 'user', content: `${instruction}\n\n${given}` }],
      response_format: formatOf(format, answer),
    };
    const path = '/chat/completions';
    const said = await askEndpoint(this.settings, { path, body, mostBytes: MOST_BYTES }, signal);
    const { data: read, error } = completion.safeParse(said);
    if (read === undefined) throw new EndpointFault(error.message, { isOfQuestion: true });
    return { text: read.choices[0]?.message.content ?? '', tokens: read.usage?.total_tokens };
  }
}

function formatOf(format: Dialect['format'], { name, schema }: ChatQuestion['answer']): object | undefined {
  if (format === 'json_schema') return { type: format, json_schema: { name, strict: true, schema } };
  return format && { type: format };
}

/**
 * The JSON of an answer, which may stand behind what the model thought, within a fence, or between sentences;
 * undefined if there is none.
 */
export function jsonOf(text: string): unknown {
  const said = text.replace(/^[\s\S]*<\/think(?:ing)?>/iu, '');
  const fenced = /```(?:json)?\s*([\s\S]*?)```/iu.exec(said)?.[1];
  const inner = said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1);
  for (const candidate of [said, fenced, inner]) {
    try {
      if (candidate !== undefined) return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}
