// Prints the plain closing line that continuous integration is read by, `N passed, N failed, N skipped`, and what needed a second try.
import type { Reporter, TestModule } from 'vitest/node';

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') count[state]++;
        if (test.diagnostic()?.flaky === true) console.log(`passed at the second try: ${module.relativeModuleId} > ${test.fullName}`);
      }
      if (module.state() === 'failed' && count.failed === 0) count.failed++;
    }
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}
