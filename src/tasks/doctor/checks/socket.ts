// Checks that the WebSocket of the service opens and that its heartbeat arrives.

import { failed, ok, skipped, type CheckFinding } from '../context/check.ts';
import type { Probe } from '../context/probe.ts';

const USE = 'without socketUrl isobar keeps no WebSocket: orders, audits and bars go over REST alone';

/** `url`: as configured; null: not configured. */
export async function checkSocket(probe: Probe, url: string | null): Promise<CheckFinding> {
  if (url === null) return skipped('no socketUrl is configured');
  const found = await probe.socket(url);
  if (found.kind === 'failed') {
    return failed(`${url} could not be opened: ${found.why}`, [
      'correct socketUrl: the exchange documents its address; it begins with wss://',
      USE,
    ]);
  }
  if (found.pings > 0) return ok(`${url} is open, and its heartbeat was answered`);
  return ok(`${url} is open; no heartbeat came while it was watched, and the specification names no interval`);
}
