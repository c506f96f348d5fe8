import { integer, secret } from '@pressroom/common/start/config';
import { z } from 'zod';

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

/** The values of {@link editorSettings}. */
export type EditorConfig = z.infer<z.ZodObject<typeof editorSettings>>;
