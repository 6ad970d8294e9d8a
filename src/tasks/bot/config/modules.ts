// Loads the modules of a live bot, before the first request to the exchange. Rejects modules that rebind a part a live bot must keep.

import { Overrides } from '../../../app/overrides.ts';
import { ConfigError } from '../../../base/errors.ts';
import { loadModules, type ModuleOptions } from '../../../definition/models/modules.ts';
import { NO_MODELS } from '../../../definition/models/loadModels.ts';
import type { ModulePlan } from '../../../definition/plan/module.ts';
import type { LiveConfig } from './liveConfig.ts';
import type { Mode } from './mode.ts';

/** Parts that modules may add to in every mode. */
const ALWAYS_ALLOWED: readonly string[] = ['rules', 'notifier'];
/** Parts between the bot and the exchange. Modules may rebind them only in paper mode. */
const PAPER_ONLY: readonly string[] = ['exchange', 'clock', 'journal'];
/** Modules may only wrap these parts. If one replaced them, orders would not be journalled or not be sent. */
const WRAP_ONLY: readonly string[] = ['exchange', 'journal'];

/** Returns the loaded modules. Throws ConfigError for a module that cannot be loaded or that rebinds a part the bot must keep. */
export async function liveOverrides(
  { definition, source, mode }: Pick<LiveConfig, 'definition' | 'source' | 'mode'>,
  options: ModuleOptions,
): Promise<Overrides> {
  const modules = (await loadModules(definition, source, options))?.plans ?? [];
  checkLiveModules(modules, mode);
  return new Overrides({ ...NO_MODELS, modules });
}

/** Throws ConfigError at the first module that rebinds a part which a bot of this mode must keep. */
export function checkLiveModules(modules: readonly ModulePlan[], mode: Mode): void {
  for (const { module, place } of modules)
    for (const binding of module.bindings) checkBinding(binding, mode, `${place}: the module ${module.name}`);
}

/** Throws ConfigError if a bot of this mode must keep the part that the binding changes. `who` names the module and its place in the config. */
function checkBinding({ part, isWrapping }: ModulePlan['module']['bindings'][number], mode: Mode, who: string): void {
  if (ALWAYS_ALLOWED.includes(part)) return;
  const isPaperPart = PAPER_ONLY.includes(part);
  if (isPaperPart && mode === 'paper') {
    if (isWrapping || !WRAP_ONLY.includes(part)) return;
    throw new ConfigError(
      `${who}: expected a wrapper of ${part}, got a module that takes its place`,
      `write: rebind(PARTS.${part}).wrap((bound) => ...), and pass each call on to what was bound`,
    );
  }
  throw new ConfigError(
    `${who}: expected ${part} as the bot has it, got a module that rebinds ${part}`,
    isPaperPart
      ? `leave the module out: with mode: live only rules and notifier may be added; ${part} may be rebound with mode: paper`
      : `leave the module out: a live bot takes rules and notifier, with mode: paper also ${PAPER_ONLY.join(', ')}; ${part} may be rebound in backtests`,
  );
}
