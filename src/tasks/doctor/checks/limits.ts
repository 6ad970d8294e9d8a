// Checks whether the doctor's own calls hit rate limits or bans.

import { VENUE_CODES } from '../../../model/venueCodes.ts';
import { wholeText } from '../../../base/text/format.ts';
import { failed, ok, doubtful, type CheckFinding } from '../context/check.ts';
import type { LimitUse, Probe } from '../context/probe.ts';
import { HTTP_STATUS } from '../../../protocol/errors/httpStatus.ts';

/** How a message names the source of a limit. */
const SOURCE_TEXTS: Readonly<Record<LimitUse['source'], string>> = {
  spec: 'from the specification',
  dialect: 'from known services',
  assumed: 'not published, assumed',
  configured: 'from the access file',
};

/** Checks that the exchange refused no call of the doctor for its rate. */
export function checkLimits(probe: Probe): Promise<CheckFinding> {
  return Promise.resolve(rateFinding(probe));
}

/** Returns a failure for a ban, a doubt for refused calls, and otherwise the most used limit. */
function rateFinding(probe: Probe): CheckFinding {
  const calls = probe.calls();
  const bannedCount = calls.filter(({ status }) => status === HTTP_STATUS.banned).length;
  const limitedCalls = calls.filter(({ status, code }) => {
    const isAboveRate = status === HTTP_STATUS.tooManyRequests || code === VENUE_CODES.tooManyRequests.code;
    return status !== HTTP_STATUS.banned && isAboveRate;
  });
  const callsText = calls.length === 1 ? '1 call' : `${wholeText(calls.length)} calls`;
  if (bannedCount > 0) {
    return failed(`this address is banned (HTTP 418 to ${bannedCount} of ${callsText})`, [
      'send nothing from here with any program until the ban has ended: bans grow from minutes to days. isobar waits by itself',
      'find the cause of the many calls: bots, dashboards, other people behind the same address',
    ]);
  }
  if (limitedCalls.length > 0) {
    const ops = [...new Set(limitedCalls.map(({ op }) => op))];
    return doubtful(`${limitedCalls.length} of ${callsText} refused for their rate: ${ops.join(', ')}`, [
      'isobar stays below the limits; other programs with this key or address use them up. Stop them, or give each its own key',
      'if there are no others, the service allows less than is known: write its limits into dialect.limits of the access file',
    ]);
  }
  const [highestUse] = probe.limits().toSorted((a, b) => b.used / b.limit - a.used / a.limit);
  return ok(`${callsText}, none refused for its rate`, {
    more: highestUse === undefined ? [] : [`the most used limit: ${useText(highestUse)}`],
  });
}

/** Returns the use of a rate class as text. */
function useText({ rateClass, scope, used, limit, windowMs, source }: LimitUse): string {
  return `${rateClass}, ${used} of ${limit} in ${windowMs / 1000} s for ${scope === 'ip' ? 'an address' : 'a key'} (${SOURCE_TEXTS[source]})`;
}
