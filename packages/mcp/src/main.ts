import { createLogger } from '@pressroom/common/log/logging';
import { runService, startOrExplain } from '@pressroom/common/start/run-service';
import { buildApp } from './app.ts';
import { mcpSettings, PORT_VARIABLE, readHttpConfig } from './config.ts';

await startOrExplain(async () => {
  const config = readHttpConfig(process.env);
  const log = createLogger({ service: 'mcp', level: config.LOG_LEVEL });
  await runService({
    config,
    log,
    settings: mcpSettings,
    portVariable: PORT_VARIABLE,
    open: async () => ({ app: await buildApp(config, log), release: async () => {} }),
  });
});
