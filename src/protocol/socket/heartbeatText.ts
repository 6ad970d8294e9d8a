// The heartbeat as text messages instead of control frames: `{"ping":<ms>}`, answered by `{"pong":<the same>}`.

type Word = 'ping' | 'pong';

const FORMS: Readonly<Record<Word, RegExp>> = {
  ping: /^\s*\{\s*"ping"\s*:\s*(\d{1,20})\s*\}\s*$/,
  pong: /^\s*\{\s*"pong"\s*:\s*(\d{1,20})\s*\}\s*$/,
};

export const heartbeatText = (word: Word, stamp: string): string => `{"${word}":${stamp}}`;

/** Returns the digits of the stamp; null for any other text. */
export const stampIn = (word: Word, text: string): string | null => FORMS[word].exec(text)?.[1] ?? null;
