import { z } from 'zod';

export interface EndpointSettings {
  /** The base of an OpenAI-compatible API, such as `http://127.0.0.1:11434/v1`. */
  url: string;
  /** Sent as a bearer token; local endpoints often need none. */
  key: string | undefined;
  model: string;
  timeoutMs: number;
}

/** Details of a fault beside its message. */
interface FaultDetails {
  status?: number;
  /** For how long the endpoint asks to be left alone, in milliseconds. */
  pauseMs?: number | undefined;
  /** True if the fault may be about this one question, such as a text that a filter refuses. */
  isOfQuestion?: boolean;
}

export class EndpointFault extends Error {
  readonly status: number | undefined;
  readonly pauseMs: number | undefined;
  readonly isOfQuestion: boolean;

  constructor(message: string, { status, pauseMs, isOfQuestion = false }: FaultDetails = {}) {
    super(message);
    this.name = 'EndpointFault';
    this.status = status;
    this.pauseMs = pauseMs;
    this.isOfQuestion = isOfQuestion;
  }
}

/** Statuses with which endpoints refuse a request itself: malformed, too large or unprocessable. */
const OF_QUESTION = [400, 413, 422];

/** Characters kept of the text of a refusal. */
const MOST_SAID = 300;

interface EndpointQuestion {
  /** Below the base, such as `/embeddings`. */
  path: string;
  body: object;
  /** The largest answer that is read, in bytes. */
  mostBytes: number;
}

/** Posts JSON to a model's endpoint and returns the JSON of its answer. Throws {@link EndpointFault}. */
export async function askEndpoint(
  { url, key, timeoutMs }: EndpointSettings,
  { path, body, mostBytes }: EndpointQuestion,
  signal?: AbortSignal,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url.replace(/\/+$/u, '') + path, {
      method: 'POST',
      // A redirect would carry the key to another host.
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify(body),
    });
    const text = await readBounded(response, mostBytes);
    if (!response.ok) {
      const said = quoted(text, key);
      const { status, headers } = response;
      throw new EndpointFault(`the endpoint answered ${status}${said && `: ${said}`}`, {
        status,
        pauseMs: pauseOf(headers),
        isOfQuestion: OF_QUESTION.includes(status),
      });
    }
    return bodyOf(text);
  } catch (error) {
    if (error instanceof EndpointFault) throw error;
    throw new EndpointFault(error instanceof Error ? error.message : String(error));
  }
}

/** The JSON of an answer; of a stream that nobody asked for, what it says once it is put together. */
function bodyOf(text: string): unknown {
  if (!/^\s*(?:(?:event|id|retry)?:.*\n\s*)*data:/u.test(text))
    return JSON.parse(text.replace(/^\uFEFF/u, ''));
  const events = Array.from(text.matchAll(/^data:\s*(\{.*)$/gmu), ([, data = '']) =>
    chunk.parse(JSON.parse(data)),
  );
  const content = events.map(({ choices: [first] }) => first?.delta?.content ?? '').join('');
  return { choices: [{ message: { content } }], usage: events.findLast(({ usage }) => usage)?.usage };
}

async function readBounded(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > mostBytes) throw new EndpointFault('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The beginning of an endpoint's message, without the key that it may repeat. */
function quoted(text: string, key: string | undefined): string {
  return (key ? text.replaceAll(key, '…') : text).replace(/\s+/gu, ' ').trim().slice(0, MOST_SAID);
}

/** `Retry-After`, a number of seconds or a date, in milliseconds. */
function pauseOf(headers: Headers): number | undefined {
  const after = headers.get('retry-after') ?? '';
  const seconds = /^\s*\d/u.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 3600) * 1000 : undefined;
}

/** Pause after a fault without `Retry-After`, in milliseconds. */
const PAUSE_MS = 60_000;

/** This many faults in a row begin a pause. */
const FAULTS = 3;

/**
 * Leaves an endpoint alone for as long as it asks, or for a minute after three faults in a row. Refusals that
 * may be about the question count once for each of those who ask, so that one alone stops nobody else.
 */
export class EndpointRest {
  #faults = 0;
  readonly #refused = new Set<unknown>();
  #until = 0;

  isResting(now: Date): boolean {
    return now.getTime() < this.#until;
  }

  worked(): void {
    this.#faults = 0;
    this.#refused.clear();
  }

  /** Notes a fault of a question by `asker`. */
  failed(fault: EndpointFault, now: Date, asker?: unknown): void {
    if (fault.isOfQuestion && asker !== undefined) this.#refused.add(asker);
    else this.#faults += 1;
    const { pauseMs } = fault;
    if (pauseMs !== undefined || this.#faults + this.#refused.size >= FAULTS) {
      this.#until = now.getTime() + (pauseMs ?? PAUSE_MS);
    }
  }
}

/** The base URL of an API of models; a key goes into a setting of its own, which no log shows. */
export function endpointUrl() {
  const expected = 'an http or https URL such as http://127.0.0.1:11434/v1';
  const accept = (value: string) => {
    const url = URL.parse(value);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  };
  return z.string().refine(accept, expected);
}

export interface ChatQuestion {
  /** The instruction; never contains a feed's text. */
  instruction: string;
  /** The data, which becomes JSON in a separate message. */
  data: object;
  /** The name and JSON Schema of the answer. */
  answer: { name: string; schema: object };
}

/** An answer of a model: text that should be JSON, and the tokens that it cost, if the endpoint says so. */
interface ChatAnswer {
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
    .array(z.union([z.string(), z.object({ text: z.string().nullish() })]))
    .transform((parts) =>
      parts.map((part) => (typeof part === 'string' ? part : (part.text ?? ''))).join(''),
    ),
  // Others hold a model to a schema by the parameters of a function, or say the object itself.
  z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value)),
]);

/** A tool call that a model makes instead of an answer. */
const call = z.object({ function: z.object({ arguments: content }) });

const completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: content.nullish(),
          refusal: z.string().nullish(),
          tool_calls: z.array(call).nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.object({ total_tokens: z.number().nonnegative().nullish() }).nullish().catch(undefined),
});

/** A part of a stream. */
const chunk = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }).nullish() })).default([]),
  usage: z.unknown().optional(),
});

/** Errors that some endpoints send with status 200. */
const failure = z.object({
  error: z.union([
    z
      .string()
      .min(1)
      .transform((message) => ({ message, code: undefined })),
    z.object({ message: z.string(), code: z.unknown().optional() }),
  ]),
});

/** Parameters that an endpoint takes beyond the messages, and the place of the instruction. */
interface Dialect {
  limit: 'max_tokens' | 'max_completion_tokens' | undefined;
  temperature: 0 | undefined;
  format: 'json_schema' | 'json_object' | undefined;
  instructs: 'system' | 'user';
}

const FIRST: Dialect = { limit: 'max_tokens', temperature: 0, format: 'json_schema', instructs: 'system' };

/** Parameters to leave out of the next try, by the text of the refusal. */
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
   * Asks the model. Parameters that the endpoint does not know are left out from then on. Throws {@link
   * EndpointFault} for whatever goes wrong.
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
    // A refusal in a dialect that has worked, without a word about the format, is about the question.
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
    const failed = failure.safeParse(said).data?.error;
    if (failed !== undefined) {
      const status = typeof failed.code === 'number' ? failed.code : undefined;
      throw new EndpointFault(
        `the endpoint answered an error: ${quoted(failed.message, this.settings.key)}`,
        {
          isOfQuestion: status === undefined || OF_QUESTION.includes(status),
          ...(status !== undefined && { status }),
        },
      );
    }
    const { data: read } = completion.safeParse(said);
    const message = read?.choices[0]?.message;
    if (message === undefined) {
      throw new EndpointFault('the endpoint answered no message of a model', { isOfQuestion: true });
    }
    const text = message.content || message.tool_calls?.[0]?.function.arguments || '';
    if (text === '' && message.refusal) {
      throw new EndpointFault(`the model refuses: ${quoted(message.refusal, this.settings.key)}`, {
        isOfQuestion: true,
      });
    }
    return { text, tokens: read?.usage?.total_tokens ?? undefined };
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
      if (candidate === undefined) continue;
      const value: unknown = JSON.parse(candidate);
      // A list of one.
      return Array.isArray(value) && value.length === 1 ? value[0] : value;
    } catch {}
  }
  return undefined;
}

/** The purpose of a request: each has its own part of the budget, so that none uses up the whole. */
export type Spender = { sourceId: number } | 'digests';

/** Keeps what a model is asked for within a day's budget. */
export interface ModelBudget {
  /**
   * Takes one request and an estimate of its tokens from the day's budget; false if that is not left, or not
   * for this spender.
   */
  take(spender: Spender, tokens: number, now: Date): Promise<boolean>;
  /** Replaces the estimate of a request with the tokens that it used. */
  settle(spender: Spender, estimate: number, used: number, now: Date): Promise<void>;
}

/** Remembers what a model has answered, by a hash of the question. */
export interface AnswerMemory {
  find(hash: Buffer): Promise<unknown>;
  keep(hash: Buffer, answer: object, now: Date): Promise<void>;
}
