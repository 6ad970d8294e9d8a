// The order of the test files: the longest begin first, so that no worker is alone with one of them at the end.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By what they take on two cores, the longest first; whatever is not named comes after these. */
const MAX = [
  'docs/docs', 'e2e/purity', 'docs/contributing', 'e2e/newUser', 'e2e/sweep', 'campaigns/botKill', 'live/restart',
  'blackbox/conformance', 'e2e/marketData', 'e2e/report', 'live/process', 'e2e/killBot',
  'e2e/parity', 'faults/throttles', 'e2e/verify', 'e2e/ownTests', 'campaigns/lookAhead', 'faults/faults',
  'e2e/cliBadInput', 'golden/real', 'live/foreignOrders', 'live/haltActs', 'e2e/editors', 'e2e/sweepQueue', 'e2e/compare', 'live/maintenance',
  'e2e/dashboard', 'e2e/futures', 'e2e/cli', 'e2e/dataImport', 'campaigns/limits', 'golden/golden', 'simulation/lanes', 'live/executionInterval',
  'live/liveRisk', 'live/replay', 'e2e/secretCanary', 'campaigns/futuresPaired', 'campaigns/exchangeFuzz', 'live/packages',
  'simulation/exchangeCrash', 'campaigns/riskFutures', 'campaigns/risk',
]; // prettier-ignore

const rank = ({ moduleId }: TestSpecification): number => {
  const at = MAX.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? MAX.length : at;
};

/** Files that share a process come after those that have their own: a worker would give up what it has loaded for a file in between. */
const shares = ({ project }: TestSpecification): number => Number(!project.config.isolate);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Among the others the sequencer's own order holds: by what earlier runs took, else by size.
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    return (await super.sort(files)).toSorted((a, b) => shares(a) - shares(b) || rank(a) - rank(b));
  }
}
