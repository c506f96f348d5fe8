import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Failure } from '@pressroom/common/failures/failure';
import { fileFailure } from '@pressroom/common/files/file-failure';
import { parse } from 'yaml';
import { z } from 'zod';

/** The rules that come with the newsroom. */
const DEFAULT_FILE = fileURLToPath(new URL('./rules.yaml', import.meta.url));

const weightedTerms = z.record(z.string().min(1), z.number().min(-100).max(100));

const rulesFile = z.strictObject({
  threshold: z.number().min(0).max(100),
  quota: z.int().min(0),
  categories: z.record(z.string(), weightedTerms),
  directions: z.record(z.string(), weightedTerms),
  signals: z.array(
    z.strictObject({
      name: z.string().min(1),
      points: z.number().min(-100).max(100),
      terms: z.array(z.string().min(1)).min(1),
    }),
  ),
});

/** What the rules editor judges by; `rules.yaml` explains the members. */
export type Rules = z.infer<typeof rulesFile>;

/** Reads rules, by default those that come with the newsroom. Throws a {@link Failure}. */
export function readRules(file = DEFAULT_FILE): Rules {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw fileFailure(error, file);
  }
  try {
    return rulesFile.parse(parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new Failure('invalid', `${file} is not a file of editorial rules: ${reason}`);
  }
}
