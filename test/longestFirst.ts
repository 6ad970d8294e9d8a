// The order of the test files: the longest begin first, so that no worker is alone with one of them at the end.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By what they take on two cores, the longest first; whatever is not named comes after these. */
const MAX = [
  'docs/docs', 'e2e/purity', 'campaigns/rebirth', 'e2e/newUser', 'e2e/sweep', 'e2e/strategyKinds', 'e2e/prove', 'e2e/proofSample',
  'e2e/parity', 'e2e/cli', 'e2e/killBot', 'live/foreignOrders', 'live/process', 'docs/contributing', 'e2e/ownTests', 'e2e/report',
  'e2e/trials', 'divergence/planted', 'architecture/words', 'e2e/killDemo', 'campaigns/killTruth', 'divergence/several',
  'simulation/world/world', 'live/haltActs', 'engine/naive', 'e2e/breakeven', 'golden/golden', 'faults/throttles', 'live/maintenance',
  'e2e/tradeBars', 'e2e/dashboard', 'e2e/cliBadInput', 'simulation/journalCrash', 'e2e/editors', 'campaigns/botKill', 'live/portfolio',
  'faults/faults', 'e2e/marketData', 'golden/real', 'e2e/debug', 'campaigns/proveCorpus', 'e2e/verify', 'live/liveBot', 'live/throwers',
  'service/killHostile', 'e2e/externalSeries', 'simulation/exchangeCrash', 'e2e/sweepState', 'e2e/canary', 'e2e/sweepQueue',
  'blackbox/conformance', 'e2e/models', 'rest/orderState', 'live/rebirth', 'live/barLengths', 'live/manySymbols', 'divergence/steps',
  'e2e/determinism', 'campaigns/breakEven', 'campaigns/guards', 'rest/marketData', 'campaigns/lookAhead', 'e2e/compare', 'live/why',
  'campaigns/envelope', 'golden/cleanData', 'live/restart', 'simulation/lanes',
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
    // oxlint-disable-next-line unicorn/no-array-sort -- it is not an array's
    return (await super.sort(files)).toSorted((a, b) => shares(a) - shares(b) || rank(a) - rank(b));
  }
}
