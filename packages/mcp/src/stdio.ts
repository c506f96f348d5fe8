import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { startOrExplain } from '@pressroom/common/start/run-service';
import { readStdioConfig } from './config.ts';
import { createMcpServer } from './server.ts';
import { openServices } from './tool.ts';

await startOrExplain(async () => {
  const config = readStdioConfig(process.env);
  const { CONTENT_API_KEY: key } = config;
  const services = openServices(config, { key: key === undefined ? undefined : { 'x-api-key': key } });
  serveStdio(() => createMcpServer(services), { onerror: (error) => console.error(error.message) });
});
