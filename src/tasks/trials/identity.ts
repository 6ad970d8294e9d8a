// The identity of a sweep: hashes of its inputs by name. Two sweeps are the same when all parts are equal.

import { sha256 } from '../../adapters/runtime/sha256.ts';

/** One input of a sweep. */
export interface IdentityPart {
  /** Readable name: `strategies/smaCross.ts`, `bars: spot:BTCUSDT 1h`, `--grid`. */
  readonly name: string;
  /** SHA-256 of a file's content, or a short value itself. */
  readonly value: string;
}

export interface SweepIdentity {
  /** SHA-256 of all parts, in lower-case hex. */
  readonly id: string;
  readonly parts: readonly IdentityPart[];
}

export function identityOf(parts: readonly IdentityPart[]): SweepIdentity {
  return { id: sha256(JSON.stringify(parts.map(({ name, value }) => [name, value]))), parts };
}

/** Returns the differing parts as text: changed, new, or gone. Empty when both are equal. */
export function changedParts(before: readonly IdentityPart[], now: readonly IdentityPart[]): readonly string[] {
  const old = new Map(before.map(({ name, value }) => [name, value]));
  const names = new Set(now.map(({ name }) => name));
  const changed = now.flatMap(({ name, value }) => {
    const was = old.get(name);
    return was === value ? [] : [was === undefined ? `${name} is new` : `${name} was ${brief(was)}, is ${brief(value)}`];
  });
  return [...changed, ...before.filter(({ name }) => !names.has(name)).map(({ name }) => `${name} is gone`)];
}

/** Shortens a hash to its first 12 characters. */
function brief(value: string): string {
  return /^[0-9a-f]{64}$/.test(value) ? value.slice(0, 12) : value;
}
