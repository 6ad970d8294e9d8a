// Loads the modules that a definition names, checks the parts that they rebind, and records their hashes for the manifest.

import { dirname } from 'node:path';
import { appendAll } from '../../base/memory/appendAll.ts';
import type { Bundler } from '../../adapters/plugins/bundler.ts';
import { loadModule, type Importer } from '../../adapters/plugins/loadModule.ts';
import { ConfigError } from '../../base/errors.ts';
import type { Warning } from '../../model/warning.ts';
import { ADDED_PARTS, type ComposeModule, type ModuleBinding, type ModulePlan } from '../plan/module.ts';
import type { ModelRecord } from '../plan/plan.ts';
import { locate } from '../text/paths.ts';
import type { Definition } from '../text/schema.ts';
import { whereIs, type DefinitionSource } from '../text/source.ts';
import { describeAnswer } from './callModel.ts';

/** A module given in code, with the hash of its own text. */
export interface ModuleInMemory {
  readonly module: ComposeModule;
  readonly hash: string;
}

/** How modules are compiled and loaded. */
export interface ModuleOptions {
  readonly bundler?: Bundler | undefined;
  readonly importer?: Importer | undefined;
  /** Modules given in code, by their index in the definition's list. */
  readonly modules?: ReadonlyMap<number, ModuleInMemory> | undefined;
}

/** The modules of a definition. */
export interface LoadedModules {
  readonly plans: readonly ModulePlan[];
  /** Their files and hashes, for the manifest. */
  readonly records: readonly ModelRecord[];
  /** Warnings about what their code uses outside the run. */
  readonly reach: readonly Warning[];
}

const MODULE_FILE = { description: 'a module file', kind: 'file', remedy: 'correct the path' } as const;

/** Returns the modules, or null if the definition names none. Throws ConfigError that names an unusable item of `modules`. */
export async function loadModules(
  definition: Pick<Definition, 'modules' | 'models' | 'fills'>,
  source: DefinitionSource,
  { bundler, importer, modules: loadedModules }: ModuleOptions = {},
): Promise<LoadedModules | null> {
  if (definition.modules === undefined) return null;
  const plans: ModulePlan[] = [];
  const records: ModelRecord[] = [];
  const reachWarnings: Warning[] = [];
  for (const [index, file] of definition.modules.entries()) {
    const place = whereIs(source, ['modules', index]);
    const loadedModule = loadedModules?.get(index);
    if (loadedModule !== undefined) {
      plans.push({ module: loadedModule.module, place });
      records.push({ use: 'module', file, hash: loadedModule.hash, inputs: [], folder: '.' });
      continue;
    }
    const path = locate(source, ['modules', index], file, MODULE_FILE);
    const { exported, hash, inputs, reach } = await loadModule(path, file, 'module', { importer, bundler });
    if (!isComposeModule(exported)) throw noModuleError(place, exported);
    plans.push({ module: exported, place });
    records.push({ use: 'module', file, hash, inputs, folder: dirname(path) });
    appendAll(reachWarnings, reach);
  }
  checkBindings(plans, definition);
  return { plans, records, reach: reachWarnings };
}

/** Returns the error for a file whose default export is not a module. */
function noModuleError(place: string, exported: unknown): ConfigError {
  const exportText = exported === undefined ? 'none' : describeAnswer(exported);
  return new ConfigError(
    `${place}: expected a file whose default export is made by composeModule, got ${exportText}`,
    "write: export default composeModule('NAME', ({ rebind }) => { ... }), from isobar/compose",
  );
}

/** True for a result of `composeModule`, from any copy of isobar. */
export function isComposeModule(value: unknown): value is ComposeModule {
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'kind') !== 'module') return false;
  return typeof Reflect.get(value, 'name') === 'string' && Array.isArray(Reflect.get(value, 'bindings'));
}

/** Throws ConfigError if two modules rebind one part, because the second would silently replace the first. */
function checkBindings(plans: readonly ModulePlan[], { models, fills }: Pick<Definition, 'models' | 'fills'>): void {
  /** For each part: the key or the module that binds it, as messages name it. */
  const binderByPart = new Map<string, string>();
  if (models?.slippage !== undefined) binderByPart.set('slippage', 'models.slippage');
  if (models?.fees !== undefined) binderByPart.set('fees', 'models.fees');
  const hasFixedSlippage = Number(fills?.slippage ?? 0) > 0 || (fills?.slippageTicks ?? 0) > 0;
  for (const { module, place } of plans) {
    for (const binding of module.bindings) {
      const { part, isWrapping } = binding;
      if (ADDED_PARTS.includes(part)) {
        checkAddition(binding, module, place);
        continue;
      }
      // A module that wraps the slippage of `fills` does not replace it.
      const replacesFixedSlippage = part === 'slippage' && hasFixedSlippage && !isWrapping;
      const earlierBinder = binderByPart.get(part) ?? (replacesFixedSlippage ? 'fills.slippage' : undefined);
      if (earlierBinder !== undefined) throw duplicateBindingError(binding, module, place, earlierBinder);
      binderByPart.set(part, `the module ${module.name}`);
    }
  }
}

/** Throws ConfigError if a module wraps a part to which modules can only add. */
function checkAddition({ part, isWrapping }: ModuleBinding, { name }: ComposeModule, place: string): void {
  if (!isWrapping) return;
  throw new ConfigError(
    `${place}: the module ${name}: expected an addition to ${part}, got a wrapper of it`,
    `write: rebind(PARTS.${part}).to(...); modules add to ${part} and remove nothing`,
  );
}

/** Returns the error for a part that two modules rebind. */
function duplicateBindingError({ part }: ModuleBinding, { name }: ComposeModule, place: string, earlierBinder: string): ConfigError {
  return new ConfigError(
    `${place}: the module ${name}: expected a part that nothing else rebinds, got ${part}, which ${earlierBinder} rebinds already`,
    'leave one of them out, or do both in one module',
  );
}
