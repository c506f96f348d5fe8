import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readYamlFile } from '../yaml-file.ts';

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

/** Reads rules, by default those that come with the newsroom. Throws a `Failure`. */
export function readRules(file = DEFAULT_FILE): Rules {
  return readYamlFile(file, rulesFile, 'a file of editorial rules');
}
