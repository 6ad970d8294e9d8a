// Checks whether the doctor's own calls hit rate limits or bans.

import { VENUE_CODES } from '../../../model/venueCodes.ts';
import { wholeText } from '../../../base/text/format.ts';
import { failed, ok, doubtful, type CheckFinding } from '../context/check.ts';
import type { LimitUse, Probe } from '../context/probe.ts';

/** The statuses with which the exchange bans an address, and refuses a call for its rate. */
const HTTP_BANNED = 418;
const HTTP_TOO_MANY_REQUESTS = 429;

/** How a message names the source of a limit. */
const SOURCE_TEXTS: Readonly<Record<LimitUse['source'], string>> = {
  spec: 'from the specification',
  dialect: 'from known services',
  assumed: 'not published, assumed',
  configured: 'from the access file',
};

/** Reports refusals of the doctor's own calls, and the most used limit. */
export function checkLimits(probe: Probe): Promise<CheckFinding> {
  return Promise.resolve(findingOf(probe));
}

/** Returns how much of the rate limits the doctor itself has used. */
function findingOf(probe: Probe): CheckFinding {
  const calls = probe.calls();
  const isBan = (status: number | null): boolean => status === HTTP_BANNED;
  const banned = calls.filter(({ status }) => isBan(status)).length;
  const limited = calls.filter(({ status, code }) => {
    const isTooMany = status === HTTP_TOO_MANY_REQUESTS || code === VENUE_CODES.tooManyRequests.code;
    return !isBan(status) && isTooMany;
  });
  const callsText = calls.length === 1 ? '1 call' : `${wholeText(calls.length)} calls`;
  if (banned > 0) {
    return failed(`this address is banned (HTTP 418 to ${banned} of ${callsText})`, [
      'send nothing from here with any program until the ban has ended: bans grow from minutes to days. isobar waits by itself',
      'find the cause of the many calls: bots, dashboards, other people behind the same address',
    ]);
  }
  if (limited.length > 0) {
    const ops = [...new Set(limited.map(({ op }) => op))];
    return doubtful(`${limited.length} of ${callsText} refused for their rate: ${ops.join(', ')}`, [
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
