// Checks whether the doctor's own calls hit rate limits or bans.

import { VENUE_CODES } from '../../../model/venueCodes.ts';
import { count } from '../../../base/text/format.ts';
import { failed, ok, warning, type CheckFinding } from '../context/check.ts';
import type { LimitUse, Probe } from '../context/probe.ts';

const SOURCES: Readonly<Record<LimitUse['source'], string>> = {
  spec: 'of the specification',
  dialect: 'as services have it',
  assumed: 'published nowhere, assumed',
  configured: 'of the access file',
};

export function checkLimits(probe: Probe): Promise<CheckFinding> {
  return Promise.resolve(judge(probe));
}

function judge(probe: Probe): CheckFinding {
  const calls = probe.calls();
  const banned = calls.filter(({ status }) => status === 418).length;
  const limited = calls.filter(({ status, code }) => status !== 418 && (status === 429 || code === VENUE_CODES.tooManyRequests.code));
  const made = calls.length === 1 ? '1 call' : `${count(calls.length)} calls`;
  if (banned > 0) {
    return failed(`this address is banned (HTTP 418 to ${banned} of ${made})`, [
      'send nothing from here until it has ended, with no program: bans grow from minutes to days. isobar keeps to it by itself',
      'find out what called so often: bots, screens, other people behind the same address',
    ]);
  }
  if (limited.length > 0) {
    const ops = [...new Set(limited.map(({ op }) => op))];
    return warning(`${limited.length} of ${made} refused for their rate: ${ops.join(', ')}`, [
      'isobar keeps below the limits: other programs with this key, or from this address, use them up. Stop them, or give each its key',
      'if there are none, the service allows less than is known: write its limits into dialect.limits of the access file',
    ]);
  }
  const max = probe.limits().toSorted((a, b) => b.used / b.limit - a.used / a.limit)[0];
  return ok(`${made}, none refused for its rate`, { more: max === undefined ? [] : [`the fullest: ${useText(max)}`] });
}

function useText({ rateClass, scope, used, limit, windowMs, source }: LimitUse): string {
  return `${rateClass}, ${used} of ${limit} in ${windowMs / 1000} s for ${scope === 'ip' ? 'an address' : 'a key'} (${SOURCES[source]})`;
}
