// Reads and writes heartbeats as text messages instead of control frames: `{"ping":<ms>}`, answered by `{"pong":<ms>}` with the same
// number.

type HeartbeatWord = 'ping' | 'pong';

const FORMS: Readonly<Record<HeartbeatWord, RegExp>> = {
  ping: /^\s*\{\s*"ping"\s*:\s*(\d{1,20})\s*\}\s*$/,
  pong: /^\s*\{\s*"pong"\s*:\s*(\d{1,20})\s*\}\s*$/,
};

/** Returns a heartbeat message. */
export const heartbeatText = (word: HeartbeatWord, stamp: string): string => `{"${word}":${stamp}}`;

/** Returns the digits of the heartbeat's time; null for any other text. */
export const stampIn = (word: HeartbeatWord, text: string): string | null => FORMS[word].exec(text)?.[1] ?? null;
