// The order of the test files: the longest begin first, so that no worker is alone with one of them at the end.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By what they take on two cores, the longest first; whatever is not named comes after these. */
const LONGEST = [
  'docs/docs', 'e2e/sweep', 'e2e/verify', 'e2e/cliBadInput', 'e2e/newUser', 'simulation/lookAhead', 'e2e/killBot', 'live/haltActs', 'golden/real',
  'faults/faults', 'e2e/ownTests', 'e2e/sweepQueue', 'e2e/futures', 'e2e/cli', 'e2e/models', 'campaigns/botKill', 'blackbox/conformance', 'e2e/dataImport',
  'e2e/report', 'e2e/editors', 'e2e/parity', 'campaigns/futuresPaired', 'e2e/dashboard', 'simulation/lanes', 'e2e/marketData', 'e2e/canary',
  'live/process', 'service/kill', 'simulation/exchangeCrash', 'campaigns/riskFutures', 'campaigns/restFaults', 'campaigns/exchangeFuzz',
  'e2e/secretCanary', 'e2e/doctor', 'e2e/determinism', 'live/liveBot', 'live/replay',
]; // prettier-ignore

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? LONGEST.length : at;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Among the others the sequencer's own order holds: by what earlier runs took, else by size.
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
