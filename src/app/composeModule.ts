// Defines `composeModule`, with which a module rebinds parts of the bot.

import { ConfigError } from '../base/errors.ts';
import { nearestName } from '../base/number/nearestName.ts';
import type { ComposeModule, ModuleBinding } from '../definition/plan/module.ts';
import type { RunPlan } from '../definition/plan/plan.ts';
import { PARTS, type PartToken } from './parts.ts';

/** The argument of every factory. */
export interface FactoryInput {
  /** The resolved run: strategies, feeds, fees, fills and limits. */
  readonly plan: RunPlan;
}

/** The types of the parts whose tokens are in `Needs`. */
export type PartsOf<Needs extends readonly PartToken<unknown>[]> = {
  readonly [At in keyof Needs]: Needs[At] extends PartToken<infer Made> ? Made : never;
};

/** The two ways to rebind a part. A factory runs once for each bot. */
export interface Rebinding<Made> {
  /**
   * Replaces the part by the result of the factory, which is called with `input` and the parts in `needs`. For `rules` and `notifier`, the
   * result is added to the part.
   */
  to<const Needs extends readonly PartToken<unknown>[] = readonly []>(
    factory: (input: FactoryInput, ...parts: PartsOf<Needs>) => Made,
    needs?: Needs,
  ): void;
  /** Replaces the part by the result of the factory, which receives the part as it was bound. Not for `rules` and `notifier`. */
  wrap<const Needs extends readonly PartToken<unknown>[] = readonly []>(
    factory: (bound: Made, input: FactoryInput, ...parts: PartsOf<Needs>) => Made,
    needs?: Needs,
  ): void;
}

/** The argument of the function that defines a module. */
export interface Composing {
  /** Selects the part to rebind. */
  readonly rebind: <Made>(part: PartToken<Made>) => Rebinding<Made>;
}

/** Matches a valid name of a module. */
const NAME_PATTERN = /^[A-Za-z0-9._-]{1,80}$/;

/**
 * Returns a module that rebinds parts of a bot: the default export of a file under `modules:` of a definition, or an item of `backtest({
 * modules })`. `name` identifies it in messages. Throws ConfigError for an invalid name or part.
 */
export function composeModule(name: string, compose: (composing: Composing) => void): ComposeModule {
  // Plain JavaScript can pass any value.
  const uncheckedName: unknown = name;
  if (typeof uncheckedName !== 'string' || !NAME_PATTERN.test(uncheckedName))
    throw new ConfigError(
      `composeModule: expected a name of 1 to 80 letters, digits, dots, dashes and underscores, got ${String(uncheckedName)}`,
      "write: composeModule('halfSpread', ({ rebind }) => { ... })",
    );
  const bindings: ModuleBinding[] = [];
  compose({
    rebind: (part) => {
      const partName = nameOf(part, name);
      const bind = (isWrapping: boolean, factory: ModuleBinding['make'], needs: readonly PartToken<unknown>[]): void => {
        if (typeof factory !== 'function')
          throw new ConfigError(
            `the module ${name}: expected a factory of ${partName}, got a ${typeof factory}`,
            `write: rebind(PARTS.${partName}).${isWrapping ? 'wrap((bound)' : 'to(()'} => ...)`,
          );
        bindings.push({ part: partName, isWrapping, needs: needs.map((need) => nameOf(need, name)), make: factory });
      };
      return { to: (factory, needs) => bind(false, factory, needs ?? []), wrap: (factory, needs) => bind(true, factory, needs ?? []) };
    },
  });
  return { kind: 'module', name, bindings };
}

/** Returns the name of a part. Throws ConfigError for a value that is not a token. */
function nameOf(part: unknown, module: string): string {
  const name: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'name') : part;
  const names = Object.keys(PARTS);
  if (typeof name === 'string' && names.includes(name)) return name;
  const nearest = typeof name === 'string' ? nearestName(name, names) : null;
  throw new ConfigError(
    `the module ${module}: expected a token of PARTS, got ${String(name)}${nearest === null ? '' : `, the nearest is ${nearest}`}`,
    `write: rebind(PARTS.slippage); the parts are ${names.join(', ')}`,
  );
}
