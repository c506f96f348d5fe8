import { createLogger } from '@pressroom/common/log/logging';
import { runService, startOrExplain } from '@pressroom/common/start/run-service';
import { PORT_VARIABLE, readContentConfig } from './config.ts';
import { openContent } from './open.ts';

await startOrExplain(async () => {
  const config = readContentConfig(process.env);
  const log = createLogger({ service: 'content', level: config.LOG_LEVEL });
  const { app, warmUp, release } = await openContent(config, log);
  // A replica that joins others under load must not refuse its first writes.
  await warmUp();
  await runService({
    app,
    release,
    log,
    drainSeconds: config.DRAIN_SECONDS,
    graceMs: config.SHUTDOWN_TIMEOUT_MS,
    host: config.HOST,
    port: config.CONTENT_PORT,
    portVariable: PORT_VARIABLE,
  });
});
