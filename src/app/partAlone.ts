// Makes parts that the start of a bot needs before the bot exists: the clock, and the ports of a live bot.

import 'reflect-metadata';
import { Container, type ServiceIdentifier } from 'inversify';
import { LiveScheduler } from '../adapters/clock/liveScheduler.ts';
import { ConfigError } from '../base/errors.ts';
import type { RunPlan } from '../definition/plan/plan.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { Scheduler } from '../ports/scheduler.ts';
import type { FactoryInput } from './composeModule.ts';
import { Overrides, type Override } from './overrides.ts';
import { PARTS, type PartToken } from './parts.ts';
import { idOf, ownIdOf, TOKENS } from './tokens.ts';

/**
 * Returns the part of a module if one rebinds it, else `original`. `plan` is null while it is unknown. Throws ConfigError for a factory that needs
 * other parts.
 */
export function partAlone<Made>(part: PartToken<Made>, original: Made, plan: RunPlan | null, overrides: Overrides): Made {
  const override = overrides.of(part.name);
  return override === null ? original : makeAlone(part, override, original, plan);
}

/** Returns the notifiers that modules add. */
export function notifiersAlone(plan: RunPlan, overrides: Overrides): readonly Notifier[] {
  return overrides.added(PARTS.notifier.name).map((override) => makeAlone<Notifier | null>(PARTS.notifier, override, null, plan)!);
}

/** Returns the clock of a module if one rebinds it, else the clock of the computer. */
export function clockOf(plan: RunPlan, overrides = new Overrides(plan.models)): Scheduler {
  return partAlone(PARTS.clock, new LiveScheduler(), plan, overrides);
}

/** Calls the factory of an override in a container without other parts. */
function makeAlone<Made>(part: PartToken<Made>, override: Override, original: Made, plan: RunPlan | null): Made {
  const { isWrapping, needs, where } = override;
  if (needs.length > 0)
    throw new ConfigError(
      `${where}: expected a factory of ${part.name} that needs no other part, got one that needs ${needs.join(', ')}`,
      `make the ${part.name} without them, because it is made before the bot`,
    );
  const container = new Container();
  container.bind(TOKENS.given).toConstantValue(plan === null ? unknownPlan(where) : { plan });
  const ownId: ServiceIdentifier<Made> = ownIdOf(part);
  container.bind(ownId).toConstantValue(original);
  container
    .bind(idOf(part))
    .toResolvedValue((...parts: unknown[]) => override.make(...parts) as Made, [
      ...(isWrapping ? [ownId] : []),
      TOKENS.given,
    ] as ServiceIdentifier[]);
  return container.get(idOf(part));
}

/** Returns the argument of a factory that is called before the plan is known. Reading the plan throws ConfigError. */
function unknownPlan(where: string): FactoryInput {
  return {
    get plan(): never {
      throw new ConfigError(`${where}: the clock of a live bot is made before the plan is known`, 'make the clock without the plan');
    },
  };
}
