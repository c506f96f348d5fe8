import { createLogger } from '@pressroom/common/log/logging';
import { runService, startOrExplain } from '@pressroom/common/start/run-service';
import { openNewsFeed } from './api/open.ts';
import { PORT_VARIABLE, readNewsFeedConfig } from './config.ts';

await startOrExplain(async () => {
  const config = readNewsFeedConfig(process.env);
  const log = createLogger({ service: 'news-feed', level: config.LOG_LEVEL });
  const { app, release } = await openNewsFeed(config, log);
  await runService({ app, release, config, log, portVariable: PORT_VARIABLE });
});
