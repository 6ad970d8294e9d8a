// Checks that the WebSocket of the service opens and that its heartbeat arrives.

import { failed, ok, skipped, type CheckFinding } from '../context/check.ts';
import type { Probe } from '../context/probe.ts';

const USE = 'without socketUrl isobar opens no WebSocket: orders, audits and bars use REST only';

/** Opens the WebSocket and waits for its heartbeat. `url` null: not configured. */
export async function checkSocket(probe: Probe, url: string | null): Promise<CheckFinding> {
  if (url === null) return skipped('no socketUrl is configured');
  const reading = await probe.socket(url);
  if (reading.kind === 'failed') {
    return failed(`${url} could not be opened: ${reading.why}`, [
      'correct socketUrl: the exchange documents its address; it begins with wss://',
      USE,
    ]);
  }
  if (reading.pings > 0) return ok(`${url} is open, and its heartbeat was answered`);
  return ok(`${url} is open; no heartbeat came while it was open, but the specification names no interval`);
}
