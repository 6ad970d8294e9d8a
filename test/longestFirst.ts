// The order of the test files: the longest begin first, so that no worker is alone with one of them at the end.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By what they take on two cores, the longest first; whatever is not named comes after these. */
const MAX = [
  'docs/docs', 'eight/eight', 'campaigns/rebirth', 'e2e/purity', 'live/foreignOrders', 'e2e/newUser', 'e2e/sweep', 'live/process',
  'e2e/report', 'e2e/killBot', 'e2e/prove', 'live/haltActs', 'live/maintenance', 'faults/throttles', 'docs/contributing', 'e2e/proofSample',
  'e2e/dashboard', 'divergence/planted', 'live/portfolio', 'e2e/editors', 'live/liveBot', 'e2e/strategyKinds', 'golden/real',
  'service/killHostile', 'e2e/parity', 'e2e/sweepQueue', 'e2e/ownTests', 'simulation/world/world', 'blackbox/conformance', 'e2e/killDemo',
  'e2e/cliBadInput', 'e2e/trials', 'campaigns/botKill', 'live/why', 'e2e/compare', 'faults/faults', 'live/barLengths', 'engine/naive',
  'divergence/several', 'service/socket', 'campaigns/lookAhead', 'e2e/marketData', 'e2e/sweepState', 'campaigns/killTruth', 'live/replay',
  'e2e/breakeven', 'live/restart', 'campaigns/tradeFills', 'live/modules', 'e2e/models', 'campaigns/breakEven', 'live/executionInterval',
  'e2e/tradeBars', 'e2e/futures', 'e2e/verify', 'e2e/sweepReport', 'e2e/cli', 'live/replacement', 'simulation/journalCrash',
  'e2e/secretCanary', 'campaigns/envelope', 'live/throwers', 'rest/wire', 'e2e/whyPage', 'golden/golden', 'live/rebirth',
  'campaigns/exchangeKill', 'e2e/dataImport', 'rest/client', 'e2e/journalKill', 'campaigns/riskFutures', 'e2e/mcp', 'service/connections',
  'service/kill', 'rest/orderState', 'campaigns/guards', 'e2e/canary', 'campaigns/proveCorpus', 'golden/cleanData', 'campaigns/risk',
  'e2e/doctor', 'docs/api', 'simulation/lanes', 'rest/codes', 'architecture/words', 'simulation/exchangeCrash', 'e2e/parityCommand',
  'divergence/feeds', 'campaigns/limits', 'live/packages', 'live/liveRisk', 'rest/marketData', 'campaigns/restFaults', 'service/httpServer',
  'live/acts', 'rest/doctor', 'campaigns/fiftyClients', 'live/seriesFile',
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
