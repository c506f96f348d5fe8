import { backupSettings } from '@pressroom/common/start/backup-settings';
import { contentSettings } from '@pressroom/content/config';
import { gallerySettings, mediaSettings } from '@pressroom/gallery-admin/config';
import { mcpSettings } from '@pressroom/mcp/config';
import { newsFeedSettings } from '@pressroom/news-feed/config';
import { workerSettings } from '@pressroom/news-feed/work/worker-config';
import type { z } from 'zod';

/** Settings by name, as a schema of `readConfig` has them. */
export type Settings = Readonly<Record<string, z.ZodType>>;

/** The settings of each program, by the name of its service in `docker-compose.yml`. */
export const SERVICE_SETTINGS: Readonly<Record<string, Settings>> = {
  content: contentSettings,
  'news-feed': newsFeedSettings,
  newsroom: workerSettings,
  'gallery-admin': gallerySettings,
  media: mediaSettings,
  backup: backupSettings,
  mcp: mcpSettings,
};
