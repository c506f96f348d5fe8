import { createLogger } from '@pressroom/common/log/logging';
import { runService, startOrExplain } from '@pressroom/common/start/run-service';
import { buildApp } from './app.ts';
import { PORT_VARIABLE, readHttpConfig } from './config.ts';

await startOrExplain(async () => {
  const config = readHttpConfig(process.env);
  const log = createLogger({ service: 'mcp', level: config.LOG_LEVEL });
  await runService({
    app: await buildApp(config, log),
    release: async () => {},
    log,
    drainSeconds: config.DRAIN_SECONDS,
    graceMs: config.SHUTDOWN_TIMEOUT_MS,
    host: config.HOST,
    port: config.MCP_PORT,
    portVariable: PORT_VARIABLE,
  });
});
