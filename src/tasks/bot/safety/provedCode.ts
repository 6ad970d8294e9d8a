// What is known about the code that a bot is about to trade with: a verdict of isobar prove, or of the sample of a backtest.

import { ConfigError } from '../../../base/errors.ts';
import { joinedByAnd } from '../../../base/text/format.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { codeOf, seenBars } from '../../trials/parts.ts';
import { codeVerdict, type CodeVerdict } from '../../trials/verdicts.ts';

/** `noted`: a start says what is known. `required`: it refuses code that is not proved. */
export type ProofDemand = 'noted' | 'required';

export interface ProofNote {
  readonly isProved: boolean;
  /** One sentence without a final point. */
  readonly text: string;
}

/**
 * Returns what the ledger in `folder` says about the strategies of a bot. `file`: its config. Throws ConfigError for code that is not proved
 * and has to be.
 */
export function checkProved(plan: RunPlan, file: string, folder: string, demand: ProofDemand): ProofNote {
  const names = joinedByAnd(plan.strategies.map(({ record }) => record.name));
  const files = joinedByAnd([...new Set(plan.strategies.map(({ record }) => record.file))]);
  const found = codeVerdict(folder, codeOf(plan.strategies));
  const remedy = `isobar prove DEFINITION, for a run definition with ${files} and this catalog`;
  const isProved = found?.verdict === 'proved';
  if (!isProved && demand === 'required') {
    const got = found === null ? `none in ${folder}` : `one that is refuted (${sourceOf(found)})`;
    throw new ConfigError(`${file}: --require-proof: expected a proved verdict about the code of ${names}, got ${got}`, remedy);
  }
  if (found === null) return { isProved, text: `nothing proves that ${names} reads no future and keeps no hidden state; ${remedy}` };
  const other = differingFeeds(found, plan);
  return { isProved, text: `the code of ${names} is ${found.verdict} (${sourceOf(found)})${other}${isProved ? '' : `; ${remedy}`}` };
}

function sourceOf({ from, feeds, madeAt }: CodeVerdict): string {
  const by = from === 'prove' ? 'isobar prove' : 'the sample of a backtest';
  const shown = feeds.length > 3 ? `${feeds.slice(0, 3).join(', ')} and ${feeds.length - 3} more` : joinedByAnd(feeds);
  return `${by}, ${madeAt.slice(0, 10)}, over ${shown}`;
}

/** A verdict holds for the bars that it saw. Others are named. */
function differingFeeds({ feeds }: CodeVerdict, plan: RunPlan): string {
  const own = seenBars(plan).filter((feed) => !feeds.includes(feed));
  if (own.length === 0) return '';
  return `; no verdict is about ${own.length > 3 ? `${own.length} of its feeds` : joinedByAnd(own)}`;
}
