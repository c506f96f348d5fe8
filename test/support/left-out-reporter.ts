import type { Reporter, TestModule } from 'vitest/node';
import { NO_DNSMASQ, NO_HELM, NO_PGBOUNCER, NO_POSTGRES_TOOLS, NO_PROMTOOL } from './left-out-notes.ts';
import { NO_BROWSER } from './no-browser.ts';
import { NO_NGINX } from './no-nginx.ts';

/** Notes of tests that may be left out. */
const REASONS = [NO_BROWSER, NO_NGINX, NO_POSTGRES_TOOLS, NO_PGBOUNCER, NO_PROMTOOL, NO_DNSMASQ, NO_HELM];

/** Says at the end of a run how many tests were left out for want of a program, and what to install. */
export default class LeftOutReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const reason of REASONS) {
      const count = modules.reduce((sum, module) => sum + leftOutOf(module, reason), 0);
      if (count > 0)
        console.log(`${count} ${count === 1 ? 'test was' : 'tests were'} left out: each ${reason}`);
    }
  }
}

function leftOutOf(module: TestModule, reason: string): number {
  const results = [...module.children.allTests()].map((test) => test.result());
  return results.filter((result) => result.state === 'skipped' && result.note === reason).length;
}
