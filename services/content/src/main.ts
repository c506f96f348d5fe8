import { createLogger } from '@pressroom/common/log/logging';
import { runService, startOrExplain } from '@pressroom/common/start/run-service';
import { contentSettings, inspectionRules, PORT_VARIABLE, readContentConfig } from './config.ts';
import { HtmlInspector } from './html/html-inspector.ts';

await startOrExplain(async () => {
  const config = readContentConfig(process.env);
  const log = createLogger({ service: 'content', level: config.LOG_LEVEL });
  const open = async () => {
    const inspector = new HtmlInspector(inspectionRules(config));
    const openContent = async () => (await import('./open.ts')).openContent(config, log, inspector);
    // A replica that joins others under load must not refuse its first writes: a thread loads what they need
    // while this one loads the rest.
    const [opened] = await Promise.all([openContent(), inspector.warmUp()]);
    return opened;
  };
  await runService({ config, log, settings: contentSettings, portVariable: PORT_VARIABLE, open });
});
