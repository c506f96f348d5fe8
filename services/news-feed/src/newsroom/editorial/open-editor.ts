import { integer, secret } from '@pressroom/common/start/config';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import type { StorySearch } from '../stories/story-search.ts';
import type { Editor } from './editor.ts';
import { ModelDigests, type ModelDigestsParts } from './model-digests.ts';
import { ModelEditor } from './model-editor.ts';
import { readRules } from './rules.ts';
import { RulesEditor } from './rules-editor.ts';

const HTTP_URL = 'an http or https URL such as http://127.0.0.1:11434/v1';

/** The settings of the editor, for `readConfig`. */
export const editorSettings = {
  /** A file of rules instead of the one that comes with the newsroom. */
  EDITORIAL_RULES: z.string().optional(),
  /** The base of an OpenAI-compatible API; with `EDITORIAL_MODEL` it lets a model judge. */
  EDITORIAL_URL: z
    .string()
    .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), HTTP_URL)
    .optional(),
  EDITORIAL_KEY: secret(z.string()).optional(),
  EDITORIAL_MODEL: z.string().optional(),
  /** The language of titles and summaries, as English names it. */
  EDITORIAL_LANGUAGE: z.string().default('Simplified Chinese'),
  EDITORIAL_TIMEOUT_MS: integer(100, 600_000, 'ms').default(20_000),
  EDITORIAL_CONCURRENCY: integer(1, 100, 'requests at once').default(2),
  EDITORIAL_DAILY_REQUESTS: integer(0, 1_000_000, 'requests a day').default(1000),
  EDITORIAL_DAILY_TOKENS: integer(0, 1_000_000_000, 'tokens a day').default(2_000_000),
};

/** What an editor needs besides its settings. */
export interface EditorSurroundings {
  db: Kysely<NewsTables>;
  vocabulary: Vocabulary;
  clock: Clock;
  /** Shared with the assigner of stories, which looks for the same. */
  search: StorySearch;
}

/** The values of {@link editorSettings}. */
export type EditorConfig = z.infer<z.ZodObject<typeof editorSettings>>;

/**
 * The editor that the settings ask for: a model where `EDITORIAL_URL` and `EDITORIAL_MODEL` name one, else
 * the rules. Throws a `Failure` for a file of rules that is not one.
 */
export function openEditor(
  config: EditorConfig,
  { db, vocabulary, clock, search }: EditorSurroundings,
): Editor {
  const rules = new RulesEditor({
    db,
    rules: readRules(config.EDITORIAL_RULES),
    search,
    vocabulary,
  });
  const model = modelOf(config);
  if (model === undefined) return rules;
  return new ModelEditor({
    db,
    rules,
    vocabulary,
    clock,
    ...model,
    concurrency: config.EDITORIAL_CONCURRENCY,
  });
}

/** What rewrites digests, where the settings name a model. */
export function openDigests(
  config: EditorConfig,
  { db, clock }: Pick<EditorSurroundings, 'db' | 'clock'>,
): ModelDigests | undefined {
  const model = modelOf(config);
  return model && new ModelDigests({ db, clock, ...model });
}

function modelOf(config: EditorConfig): Omit<ModelDigestsParts, 'db' | 'clock'> | undefined {
  const { EDITORIAL_URL: url, EDITORIAL_MODEL: model, EDITORIAL_KEY: key } = config;
  if (url === undefined || model === undefined) return undefined;
  return {
    settings: { url, key, model, timeoutMs: config.EDITORIAL_TIMEOUT_MS },
    language: config.EDITORIAL_LANGUAGE,
    budget: { requests: config.EDITORIAL_DAILY_REQUESTS, tokens: config.EDITORIAL_DAILY_TOKENS },
  };
}
