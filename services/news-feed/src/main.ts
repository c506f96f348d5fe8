import { createLogger } from '@pressroom/common/log/logging';
import { runService, startOrExplain } from '@pressroom/common/start/run-service';
import { openNewsFeed } from './api/open.ts';
import { newsFeedSettings, PORT_VARIABLE, readNewsFeedConfig } from './config.ts';

await startOrExplain(async () => {
  const config = readNewsFeedConfig(process.env);
  const log = createLogger({ service: 'news-feed', level: config.LOG_LEVEL });
  await runService({
    config,
    log,
    settings: newsFeedSettings,
    portVariable: PORT_VARIABLE,
    open: () => openNewsFeed(config, log),
  });
});
