import { createLogger } from '@pressroom/common/log/logging';
import { runService, startOrExplain } from '@pressroom/common/start/run-service';
import { inspectionRules, PORT_VARIABLE, readContentConfig } from './config.ts';
import { HtmlInspector } from './html/html-inspector.ts';

await startOrExplain(async () => {
  const config = readContentConfig(process.env);
  const log = createLogger({ service: 'content', level: config.LOG_LEVEL });
  const inspector = new HtmlInspector(inspectionRules(config));
  const open = async () => (await import('./open.ts')).openContent(config, log, inspector);
  // A replica that joins others under load must not refuse its first writes: a thread loads what they need
  // while this one loads the rest.
  const [{ app, release }] = await Promise.all([open(), inspector.warmUp()]);
  await runService({ app, release, config, log, portVariable: PORT_VARIABLE });
});
