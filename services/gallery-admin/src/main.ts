import { createLogger } from '@pressroom/common/log/logging';
import { runService, startOrExplain } from '@pressroom/common/start/run-service';
import { PORT_VARIABLE, readGalleryConfig } from './config.ts';
import { openGallery } from './open.ts';

await startOrExplain(async () => {
  const config = readGalleryConfig(process.env);
  const log = createLogger({ service: 'gallery-admin', level: config.LOG_LEVEL });
  const { app, release } = await openGallery(config, log);
  await runService({ app, release, config, log, portVariable: PORT_VARIABLE });
});
