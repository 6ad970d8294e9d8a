// The identity of a sweep: hashes of its inputs by name. Two sweeps are the same when all parts are equal.

import { sha256 } from '../../adapters/runtime/sha256.ts';

/** One input of a sweep. */
export interface IdentityPart {
  /** Readable name: `strategies/smaCross.ts`, `bars: spot:BTCUSDT 1h`, `--grid`. */
  readonly name: string;
  /** SHA-256 of a file's content, or a short value itself. */
  readonly value: string;
}

/** The identity of a sweep with the inputs behind it. */
export interface SweepIdentity {
  /** SHA-256 of all parts, in lower-case hex. */
  readonly id: string;
  readonly parts: readonly IdentityPart[];
}

/** Returns the identity of a sweep with these inputs. */
export function identityOf(parts: readonly IdentityPart[]): SweepIdentity {
  return { id: sha256(JSON.stringify(parts.map(({ name, value }) => [name, value]))), parts };
}

/** Returns one text for each part that is changed, new or missing. Empty when both are equal. */
export function changedParts(before: readonly IdentityPart[], after: readonly IdentityPart[]): readonly string[] {
  const valuesBefore = new Map(before.map(({ name, value }) => [name, value]));
  const names = new Set(after.map(({ name }) => name));
  const changed = after.flatMap(({ name, value }) => {
    const previous = valuesBefore.get(name);
    return previous === value ? [] : [previous === undefined ? `${name} is new` : `${name} was ${brief(previous)}, is ${brief(value)}`];
  });
  return [...changed, ...before.filter(({ name }) => !names.has(name)).map(({ name }) => `${name} is gone`)];
}

/** Shortens a hash to its first 12 characters. */
function brief(value: string): string {
  return /^[0-9a-f]{64}$/.test(value) ? value.slice(0, 12) : value;
}
