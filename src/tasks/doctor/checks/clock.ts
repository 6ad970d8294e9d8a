// Checks the clock offset: the service's clock minus this computer's clock, with its uncertainty.

import { wholeText } from '../../../base/text/format.ts';
import { failed, ok, doubtful, type CheckFinding } from '../context/check.ts';
import type { CheckContext } from '../context/checkContext.ts';

/** Largest offset, ms. A clock synchronised by NTP is closer. */
const MAX_GOOD_OFFSET_MS = 250;
/** A timestamp may be at most this far ahead of the service (specification, part 5). With a larger uncertainty, requests are refused. */
const MAX_UNCERTAINTY_MS = 1000;

/** The fix for a wrong clock. */
const SYNCHRONISE_FIX = [
  'synchronise it: sudo timedatectl set-ntp true (Linux), sudo sntp -sS time.apple.com (macOS), w32tm /resync (Windows)',
  "until then isobar signs with the service's time, so that orders are accepted; the times in its logs are off by that much",
];

/** Measures the clock. Fails if it is too uncertain, and warns if it is wrong. */
export async function checkClock(context: CheckContext): Promise<CheckFinding> {
  const reading = await context.probe.clock(context.market);
  if (reading === null) {
    return failed('the service does not report its time', [
      'requests would be signed with the time of this computer, which may be refused: run isobar doctor again',
      'if pings are answered but the time is not, the service does not follow this specification',
    ]);
  }
  context.clock = reading;
  const { offsetMs, uncertaintyMs } = reading;
  const detail = clockErrorText(offsetMs, uncertaintyMs);
  if (uncertaintyMs >= MAX_UNCERTAINTY_MS) {
    return failed(detail, [
      'with an uncertainty of a second, requests are refused (-1021): the connection is too slow or uneven. Run the bot nearer to the service',
      'a clock that is being adjusted has the same effect: run isobar doctor again',
    ]);
  }
  if (Math.abs(offsetMs) - uncertaintyMs > MAX_GOOD_OFFSET_MS) return doubtful(detail, SYNCHRONISE_FIX);
  return ok(detail);
}

/** Returns a sentence such as `your clock is 340 ms behind, ±12 ms`. */
export function clockErrorText(offsetMs: number, uncertaintyMs: number): string {
  const uncertaintyText = `±${durationWithUnit(Math.ceil(uncertaintyMs))}`;
  if (Math.abs(offsetMs) <= uncertaintyMs) return `your clock agrees with the service's, ${uncertaintyText}`;
  const direction = offsetMs > 0 ? 'behind' : 'ahead';
  return `your clock is ${durationWithUnit(Math.abs(offsetMs))} ${direction}, ${uncertaintyText}`;
}

/** Returns a duration in the largest unit that says enough. */
function durationWithUnit(durationMs: number): string {
  if (durationMs < 10_000) return `${wholeText(Math.round(durationMs))} ms`;
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${wholeText(Math.round(minutes / 60))} h`;
}
