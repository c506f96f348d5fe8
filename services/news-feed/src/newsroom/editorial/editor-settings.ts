import { integer, secret, setting } from '@pressroom/common/start/config';
import { z } from 'zod';
import { endpointUrl } from '../models/endpoint-url.ts';

/** The settings of the editor, for `readConfig`. */
export const editorSettings = {
  EDITORIAL_URL: setting(
    endpointUrl().optional(),
    'Base URL of an OpenAI-compatible API; with `EDITORIAL_MODEL` set, its model judges entries.',
    'the rules judge',
  ),
  EDITORIAL_MODEL: setting(z.string().optional(), 'The name of the model.', 'the rules judge'),
  EDITORIAL_KEY: setting(secret(z.string()).optional(), 'The key of the API, if it requires one.'),
  EDITORIAL_TIMEOUT_MS: setting(
    integer(100, 600_000, 'ms').default(20_000),
    'Time limit of one judgement, after which the rules judge.',
  ),
  EDITORIAL_DAILY_REQUESTS: setting(
    integer(0, 1_000_000, 'requests a day').default(1000),
    'Daily budget of requests, shared by all workers.',
  ),
  EDITORIAL_DAILY_TOKENS: setting(
    integer(0, 1_000_000_000, 'tokens a day').default(2_000_000),
    'Daily budget of tokens, shared by all workers.',
  ),
};

/** The values of {@link editorSettings}. */
export type EditorConfig = z.infer<z.ZodObject<typeof editorSettings>>;
