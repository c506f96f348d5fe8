import type { Reporter, TestModule } from 'vitest/node';
import { NO_BROWSER } from './no-browser.ts';

/** Says at the end of a run how many tests were left out for want of a browser, and what to install. */
export default class LeftOutReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = modules.reduce((sum, module) => sum + leftOutOf(module), 0);
    if (count > 0)
      console.log(`${count} ${count === 1 ? 'test was' : 'tests were'} left out: each ${NO_BROWSER}`);
  }
}

function leftOutOf(module: TestModule): number {
  const results = [...module.children.allTests()].map((test) => test.result());
  return results.filter((result) => result.state === 'skipped' && result.note === NO_BROWSER).length;
}
