// Reads and writes heartbeats that are text messages instead of control frames.
// `{"ping":<ms>}` is answered by `{"pong":<ms>}` with the same number.

type HeartbeatKind = 'ping' | 'pong';

const PATTERNS: Readonly<Record<HeartbeatKind, RegExp>> = {
  ping: /^\s*\{\s*"ping"\s*:\s*(\d{1,20})\s*\}\s*$/,
  pong: /^\s*\{\s*"pong"\s*:\s*(\d{1,20})\s*\}\s*$/,
};

/** Returns a heartbeat message. */
export const heartbeatText = (kind: HeartbeatKind, stamp: string): string => `{"${kind}":${stamp}}`;

/** Returns the digits of the heartbeat's time; null for any other text. */
export const stampIn = (kind: HeartbeatKind, text: string): string | null => PATTERNS[kind].exec(text)?.[1] ?? null;
