import { integer, secret, setting } from '@pressroom/common/start/config';
import { z } from 'zod';
import { endpointUrl } from '../models/endpoint-url.ts';

/** The settings of what embeds titles, for `readConfig`. */
export const embeddingSettings = {
  NEWS_EMBEDDINGS_URL: setting(
    endpointUrl().optional(),
    'Base URL of an OpenAI-compatible API; with `NEWS_EMBEDDINGS_MODEL` set, its model embeds titles for [stories](newsroom.md#embeddings).',
    'stories are found without',
  ),
  NEWS_EMBEDDINGS_MODEL: setting(
    z.string().optional(),
    'The name of the model.',
    'stories are found without',
  ),
  NEWS_EMBEDDINGS_API_KEY: setting(secret(z.string()).optional(), 'The key of the API, if it requires one.'),
  NEWS_EMBEDDINGS_DAILY_TOKENS: setting(
    integer(0, 1_000_000_000, 'tokens a day').default(1_000_000),
    'Daily budget of tokens, shared by all workers.',
  ),
};

/** The values of {@link embeddingSettings}. */
export type EmbeddingConfig = z.infer<z.ZodObject<typeof embeddingSettings>>;
