// The mode of a bot, paper or live: checks that all settings agree before an order may be sent for real money.

import { createHash } from 'node:crypto';
import { ConfigError } from '../../../base/errors.ts';
import type { Market } from '../../../model/instrument.ts';

/** Whether orders go to a paper exchange or to a real one. */
export type Mode = 'paper' | 'live';

/** All settings of a start that concern its mode. */
export interface ModeRequest {
  /** `mode` of the config; default paper. */
  readonly mode: Mode;
  /** `--live` was given. */
  readonly isFlagged: boolean;
  readonly timeScale: number;
  readonly urls: Readonly<Partial<Record<Market, string>>>;
  /** Fingerprint of the API key. */
  readonly fingerprint: string;
  /** Fingerprint that the operator has typed, now or earlier; null: not confirmed. */
  readonly confirmed: string | null;
}

/** Throws ConfigError unless all settings agree: paper on this computer, or live with everything that live requires. */
export function checkMode(request: ModeRequest): void {
  const refusal = request.mode === 'paper' ? paperRefusal(request) : liveRefusal(request);
  if (refusal) throw refusal;
}

/** Returns the error that forbids paper mode; null if it is allowed. */
function paperRefusal({ isFlagged, urls }: ModeRequest): ConfigError | null {
  if (isFlagged) {
    return new ConfigError('--live: the config says mode: paper', 'write mode: live into the config, or leave --live out');
  }
  const remote = Object.values(urls).find((url) => !isLoopback(url));
  if (remote === undefined) return null;
  return new ConfigError(
    `exchange: expected a paper exchange on this computer, got ${remote}`,
    'paper mode talks to 127.0.0.1 alone: isobar exchange opens one; for real money see docs/live.md',
  );
}

/** Returns the error that forbids live mode; null if it is allowed. */
function liveRefusal({ isFlagged, timeScale, urls, fingerprint, confirmed }: ModeRequest): ConfigError | null {
  if (!isFlagged) return new ConfigError('mode: live trades real money', 'if that is what you want, add --live to the command');
  if (timeScale !== 1)
    return new ConfigError(`timeScale: expected 1 in live, got ${timeScale}`, 'a real exchange keeps its own time: leave it out');
  const unsuitable = Object.values(urls).find((url) => isLoopback(url) || !url.startsWith('https:'));
  if (unsuitable !== undefined) {
    return new ConfigError(
      `exchange: expected the https address of a real exchange, got ${unsuitable}`,
      'for a paper exchange write mode: paper',
    );
  }
  if (confirmed === fingerprint) return null;
  const remedy = `read the config once more, then type its account: --confirm ${fingerprint}`;
  return confirmed === null
    ? new ConfigError(`the account ${fingerprint} was never confirmed`, remedy)
    : new ConfigError(`the account is ${fingerprint}, confirmed was ${confirmed}`, remedy);
}

/** Number of hexadecimal digits of a fingerprint. */
const FINGERPRINT_LENGTH = 12;

/** Returns an identifier of the account of a key. It reveals nothing of the key. */
export function fingerprintOf(apiKey: string): string {
  return createHash('sha256').update(`isobar account ${apiKey}`).digest('hex').slice(0, FINGERPRINT_LENGTH);
}

/** True when the URL names this computer. */
function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
