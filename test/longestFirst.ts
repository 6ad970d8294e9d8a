// Orders the test files: the longest begin first, so that at the end no worker runs a long file while the others wait.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest test files by their time on two cores, the longest first. All other files come after them. */
const SLOW_FILES = [
  'docs/docs', 'eight/eight', 'campaigns/rebirth', 'campaigns/drawnBots', 'e2e/purity', 'e2e/newUser', 'e2e/sweep', 'live/process',
  'e2e/report', 'e2e/killBot', 'e2e/prove', 'live/foreignOrders', 'live/haltActs', 'live/maintenance', 'faults/throttles', 'campaigns/proveCorpus', 'live/tradeBars', 'live/quoteAssetsParity', 'docs/contributing', 'e2e/proofSample',
  'e2e/dashboard', 'divergence/planted', 'live/portfolio', 'e2e/editors', 'live/liveBot', 'e2e/strategyKinds', 'golden/real',
  'service/killHostile', 'e2e/parity', 'e2e/sweepQueue', 'e2e/authorProject', 'simulation/world/world', 'blackbox/conformance', 'e2e/killDemo',
  'e2e/cliBadInput', 'e2e/trials', 'campaigns/botKill', 'live/why', 'e2e/compareReport', 'faults/faults', 'live/barLengths', 'engine/naive',
  'divergence/several', 'service/socket', 'campaigns/lookAhead', 'e2e/marketData', 'e2e/sweepState', 'campaigns/killTruth', 'live/replay',
  'e2e/breakeven', 'live/restart', 'campaigns/tradeFills', 'live/modules', 'e2e/models', 'campaigns/breakEven', 'live/executionInterval',
  'e2e/tradeBars', 'e2e/futures', 'e2e/verify', 'e2e/sweepReport', 'e2e/backtestCommand', 'live/replacement', 'simulation/journalCrash',
  'e2e/secretCanary', 'campaigns/envelope', 'live/throwingStrategy', 'rest/wire', 'e2e/whyPage', 'golden/golden', 'live/rebirth',
  'campaigns/exchangeKill', 'e2e/dataImport', 'rest/client', 'e2e/journalKill', 'campaigns/riskFutures', 'e2e/mcp', 'service/connections',
  'service/kill', 'rest/orderState', 'campaigns/guards', 'e2e/echoedSecrets', 'service/killStuck', 'service/killBesideTrigger', 'golden/cleanData', 'campaigns/risk',
  'e2e/doctor', 'docs/api', 'simulation/lanes', 'rest/codes', 'architecture/words', 'simulation/exchangeCrash', 'e2e/parityCommand',
  'divergence/feeds', 'campaigns/limits', 'live/packages', 'live/liveRisk', 'rest/marketData', 'campaigns/restFaults', 'service/httpServer',
  'live/operatorActions', 'rest/doctor', 'campaigns/fiftyClients', 'live/seriesFile',
]; // prettier-ignore

/** Returns the place of a file in the list; the length of the list for any other file. */
const slowRank = ({ moduleId }: TestSpecification): number => {
  const index = SLOW_FILES.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return index < 0 ? SLOW_FILES.length : index;
};

/** Returns 1 for a file that shares a process. Such files come last: a file with its own process between them would discard loaded modules. */
const sharedRank = ({ project }: TestSpecification): number => Number(!project.config.isolate);

/** The sequencer of vitest with this order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Other files keep the order of vitest: by the time of earlier runs, otherwise by size.
    // oxlint-disable-next-line unicorn/no-array-sort -- this is a method of the base class, not of an array
    return (await super.sort(files)).toSorted(
      (first, second) => sharedRank(first) - sharedRank(second) || slowRank(first) - slowRank(second),
    );
  }
}
