// Looks up whether the code that a bot is about to trade with was proved: by isobar prove, or by the sample of a backtest.

import { ConfigError } from '../../../base/errors.ts';
import { joinedByAnd } from '../../../base/text/format.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { strategyCodeHash, visibleFeedsOf } from '../../trials/identityParts.ts';
import { codeVerdict, type CodeVerdict } from '../../trials/verdicts.ts';

/** `noted`: a start logs the verdict. `required`: it rejects code that is not proved. */
export type ProofDemand = 'noted' | 'required';

/** Maximum number of feeds that a sentence names. */
const MAX_NAMED_FEEDS = 3;

/** The verdict about the strategies of a bot. */
export interface ProofNote {
  readonly isProved: boolean;
  /** One sentence without a final point. */
  readonly text: string;
}

/**
 * Returns the verdict of the ledger in `folder` about the strategies of a bot. `file`: its config. Throws ConfigError if a proof is required
 * and missing.
 */
export function checkProved(plan: RunPlan, file: string, folder: string, demand: ProofDemand): ProofNote {
  const names = joinedByAnd(plan.strategies.map(({ record }) => record.name));
  const files = joinedByAnd([...new Set(plan.strategies.map(({ record }) => record.file))]);
  const verdict = codeVerdict(folder, strategyCodeHash(plan.strategies));
  const remedy = `isobar prove DEFINITION, for a run definition with ${files} and this catalog`;
  const isProved = verdict?.verdict === 'proved';
  if (!isProved && demand === 'required') {
    const actual = verdict === null ? `none in ${folder}` : `a refuted one (${sourceOf(verdict)})`;
    throw new ConfigError(`${file}: --require-proof: expected a proved verdict about the code of ${names}, got ${actual}`, remedy);
  }
  if (verdict === null) return { isProved, text: `it is not proved that ${names} reads no future and keeps no hidden state; ${remedy}` };
  const otherFeeds = differingFeeds(verdict, plan);
  return {
    isProved,
    text: `the code of ${names} is ${verdict.verdict} (${sourceOf(verdict)})${otherFeeds}${isProved ? '' : `; ${remedy}`}`,
  };
}

/** Returns who made a verdict, when, and over which feeds. */
function sourceOf({ from, feeds, madeAt }: CodeVerdict): string {
  const by = from === 'prove' ? 'isobar prove' : 'the sample of a backtest';
  const hasMore = feeds.length > MAX_NAMED_FEEDS;
  const firstFeeds = `${feeds.slice(0, MAX_NAMED_FEEDS).join(', ')} and ${feeds.length - MAX_NAMED_FEEDS} more`;
  const day = madeAt.slice(0, 10);
  return `${by}, ${day}, over ${hasMore ? firstFeeds : joinedByAnd(feeds)}`;
}

/** Returns the end of the sentence: feeds of the bot that the verdict does not cover, because it holds only for its own bars. */
function differingFeeds({ feeds }: CodeVerdict, plan: RunPlan): string {
  const unprovedFeeds = visibleFeedsOf(plan).filter((feed) => !feeds.includes(feed));
  if (unprovedFeeds.length === 0) return '';
  const isMany = unprovedFeeds.length > MAX_NAMED_FEEDS;
  return `; no verdict is about ${isMany ? `${unprovedFeeds.length} of its feeds` : joinedByAnd(unprovedFeeds)}`;
}
