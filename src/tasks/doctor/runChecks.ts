// Runs checks in order. A check whose prerequisite failed is skipped, and names the original failure.

import { ConfigError } from '../../base/errors.ts';
import { failed, skipped, type DoctorCheck, type CheckResult, type CheckFinding } from './context/check.ts';

/** Listeners for the progress. */
export interface Progress {
  /** Called before a check starts. */
  readonly started?: (check: DoctorCheck) => void;
  readonly finished?: (result: CheckResult) => void;
}

/** Returns the results in the order of the checks. `nowMs`: a clock for durations. */
export async function runChecks(
  checks: readonly DoctorCheck[],
  nowMs: () => number,
  { started, finished }: Progress = {},
): Promise<readonly CheckResult[]> {
  const results = new Map<string, CheckResult>();
  /** The original failure of each skipped check. */
  const roots = new Map<string, string>();
  for (const check of checks) {
    started?.(check);
    const beganMs = nowMs();
    const missing = check.needs.find((name) => isFailed(results.get(name))) ?? check.needs.find((name) => isMissing(results.get(name)));
    const root = missing === undefined ? null : (roots.get(missing) ?? missing);
    if (root !== null) roots.set(check.name, root);
    const finding = root === null ? await runCheck(check) : skipped(`because ${shortName(root, check)} ${wordOf(results.get(root))}`);
    const result = completeResult(check, finding, Math.max(0, Math.round(nowMs() - beganMs)));
    results.set(check.name, result);
    finished?.(result);
  }
  return [...results.values()];
}

const isFailed = (result: CheckResult | undefined): boolean => result?.status === 'failed';
const isMissing = (result: CheckResult | undefined): boolean => result === undefined || result.status === 'skipped';
const wordOf = (result: CheckResult | undefined): string => (isFailed(result) ? 'failed' : 'was skipped');

/** Returns the name without the market, which is clear from the context. */
function shortName(name: string, { market }: DoctorCheck): string {
  return market !== null && name.startsWith(`${market}.`) ? name.slice(market.length + 1) : name;
}

/** Runs a check. A ConfigError, such as for an unreadable file, becomes a finding. */
async function runCheck(check: DoctorCheck): Promise<CheckFinding> {
  try {
    return await check.run();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return failed(error.message, error.remedy === '' ? [] : [error.remedy], { isPrivate: true });
  }
}

const DEFAULT_MEMBERS = { more: [], serviceText: null, fix: [], code: null, dialect: {}, isPrivate: false } as const;

/** Returns a finding as a result, with all members set. */
const completeResult = ({ name, market }: DoctorCheck, finding: CheckFinding, ms: number): CheckResult => ({
  name,
  market,
  ms,
  ...DEFAULT_MEMBERS,
  ...finding,
});
