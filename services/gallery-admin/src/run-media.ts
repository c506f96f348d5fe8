import { createLogger } from '@pressroom/common/log/logging';
import { lowerPriority, runService } from '@pressroom/common/start/run-service';
import { MEDIA_PORT_VARIABLE, mediaSettings, readMediaConfig } from './config.ts';
import { openMedia } from './open.ts';

/** Serves the public part of the active bucket in a separate process, until SIGTERM or SIGINT. */
export async function runMedia(): Promise<void> {
  const config = readMediaConfig(process.env);
  const log = createLogger({ service: 'media', level: config.LOG_LEVEL });
  // Readers' pictures are drawn while no login, thumbnail or article is waiting.
  lowerPriority(log);
  await runService({
    config,
    log,
    settings: mediaSettings,
    portVariable: MEDIA_PORT_VARIABLE,
    open: () => openMedia(config, log),
  });
}
