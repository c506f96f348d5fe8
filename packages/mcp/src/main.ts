import { createLogger } from '@pressroom/common/log/logging';
import { runService, startOrExplain } from '@pressroom/common/start/run-service';
import { buildApp } from './app.ts';
import { PORT_VARIABLE, readHttpConfig } from './config.ts';

await startOrExplain(async () => {
  const config = readHttpConfig(process.env);
  const log = createLogger({ service: 'mcp', level: config.LOG_LEVEL });
  await runService({
    config,
    app: await buildApp(config, log),
    release: async () => {},
    log,
    portVariable: PORT_VARIABLE,
  });
});
