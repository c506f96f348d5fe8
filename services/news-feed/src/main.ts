import { createLogger } from '@pressroom/common/log/logging';
import { runService, startOrExplain } from '@pressroom/common/start/run-service';
import { openNewsFeed } from './api/open.ts';
import { PORT_VARIABLE, readNewsFeedConfig } from './config.ts';

await startOrExplain(async () => {
  const config = readNewsFeedConfig(process.env);
  const log = createLogger({ service: 'news-feed', level: config.LOG_LEVEL });
  const { app, release } = await openNewsFeed(config, log);
  await runService({
    app,
    release,
    log,
    drainSeconds: config.DRAIN_SECONDS,
    graceMs: config.SHUTDOWN_TIMEOUT_MS,
    host: config.HOST,
    port: config.NEWS_FEED_PORT,
    portVariable: PORT_VARIABLE,
  });
});
