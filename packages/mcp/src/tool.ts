import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';

/** What ends a call early: the caller has gone, or it has taken too long. */
export interface Ending {
  signal: AbortSignal;
}

/** A function that a model may call, as the model sees it, on what `Means` gives it. */
export interface Tool<Means> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly annotations: ToolAnnotations;
  /** Resolves to the data of the answer. */
  readonly run: (
    means: Means,
    input: Record<string, unknown>,
    ending: Ending,
  ) => Promise<Record<string, unknown>>;
}

/** A tool whose input is typed by its schema. */
interface ToolDefinition<Means, Input extends z.ZodObject> extends Omit<Tool<Means>, 'input' | 'run'> {
  readonly input: Input;
  readonly run: (means: Means, input: z.infer<Input>, ending: Ending) => Promise<Record<string, unknown>>;
}

/** Makes a tool; its input has the type of its schema. */
export function tool<Means, Input extends z.ZodObject>(
  definition: ToolDefinition<Means, Input>,
): Tool<Means> {
  // Safe to list tools with different schemas: the SDK parses each with its own.
  return definition as unknown as Tool<Means>;
}
