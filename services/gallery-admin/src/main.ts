import { createLogger } from '@pressroom/common/log/logging';
import { runService, startOrExplain } from '@pressroom/common/start/run-service';
import { gallerySettings, PORT_VARIABLE, readGalleryConfig } from './config.ts';
import { openGallery } from './open.ts';

await startOrExplain(async () => {
  const config = readGalleryConfig(process.env);
  const log = createLogger({ service: 'gallery-admin', level: config.LOG_LEVEL });
  await runService({
    config,
    log,
    settings: gallerySettings,
    portVariable: PORT_VARIABLE,
    open: () => openGallery(config, log),
  });
});
