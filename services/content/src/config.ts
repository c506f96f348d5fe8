import { commonSettings, type Environment, integer, port, readConfig } from '@pressroom/common/start/config';
import { z } from 'zod';

/** The variable that sets the port. */
export const PORT_VARIABLE = 'CONTENT_PORT';

/** The variables that the service reads. */
export const contentSettings = {
  ...commonSettings,
  [PORT_VARIABLE]: port().default(4003),
  /** `trusted` allows scripts and event handlers in content, for a site whose writers may do anything. */
  CONTENT_HTML: z.enum(['checked', 'trusted'], 'checked or trusted').default('checked'),
  /**
   * Whether checked content may include structured data for search engines: `<script
   * type="application/ld+json">`.
   */
  CONTENT_JSON_LD: z.enum(['refused', 'allowed'], 'refused or allowed').default('refused'),
  /** Requests per minute from one client address without a key. */
  CONTENT_RATE_LIMIT: integer(1, 1_000_000_000, 'requests a minute').default(60),
  /** Requests per minute with one key. */
  CONTENT_KEY_RATE_LIMIT: integer(1, 1_000_000_000, 'requests a minute').default(1000),
  /** The largest request body. */
  CONTENT_BODY_LIMIT: integer(1024, 2 ** 30, 'bytes').default(2 * 2 ** 20),
};

/** The settings of the content service. */
export type ContentConfig = z.infer<z.ZodObject<typeof contentSettings>>;

/** Reads the settings of the content service. Throws `ConfigError` with every error. */
export function readContentConfig(env: Environment): ContentConfig {
  return readConfig(contentSettings, env);
}
