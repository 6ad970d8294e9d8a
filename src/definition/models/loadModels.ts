// Loads the models that a definition names, and records their hashes for the manifest.

import { dirname } from 'node:path';
import { appendAll } from '../../base/memory/appendAll.ts';
import { ConfigError } from '../../base/errors.ts';
import { loadModel, type LoadedModel, type ModelKind } from '../../adapters/plugins/loadModel.ts';
import type { Warning } from '../../model/warning.ts';
import type { RiskRuleSpec } from '../../strategy/models.ts';
import { locate } from '../text/paths.ts';
import type { Definition } from '../text/schema.ts';
import { whereIs, type DefinitionSource, type KeyPath } from '../text/source.ts';
import type { ModelRecord, ModelsPlan } from '../plan/plan.ts';
import { describeAnswer } from './callModel.ts';
import { checkRuleCode } from './ruleCodes.ts';
import { loadModules, type ModuleOptions } from './modules.ts';

/** A definition without models. */
export const NO_MODELS: ModelsPlan = { slippage: null, fees: null, rules: [], records: [], reach: [] };

/** Returns the models and modules of a definition. Throws ConfigError that names the key of an unusable one. */
export async function loadModels(definition: Definition, source: DefinitionSource, options: ModuleOptions = {}): Promise<ModelsPlan> {
  const ownModels = await loadOwnModels(definition, source, options);
  const modules = await loadModules(definition, source, options);
  if (modules === null) return ownModels;
  return {
    ...ownModels,
    modules: modules.plans,
    records: [...ownModels.records, ...modules.records],
    reach: [...(ownModels.reach ?? []), ...modules.reach],
  };
}

/** Returns the models under `models`, without modules. */
async function loadOwnModels(
  { models, fills }: Definition,
  source: DefinitionSource,
  { bundler, importer }: ModuleOptions,
): Promise<ModelsPlan> {
  if (models === undefined) return NO_MODELS;
  const records: ModelRecord[] = [];
  const reachWarnings: Warning[] = [];
  const load = async <Kind extends ModelKind>(kind: Kind, path: KeyPath, file: string): Promise<LoadedModel<Kind>['model']> => {
    const place = locate(source, path, file, { description: 'a file', kind: 'file', remedy: 'correct the path' });
    const { model, hash, inputs, reach } = await loadModel(kind, place, file, { bundler, importer });
    appendAll(reachWarnings, reach);
    records.push({ use: kind, file, hash, inputs, folder: dirname(place) });
    return model;
  };
  if (models.slippage !== undefined && (Number(fills?.slippage ?? 0) > 0 || (fills?.slippageTicks ?? 0) > 0)) {
    throw new ConfigError(
      `${whereIs(source, ['models', 'slippage'])}: expected one kind of slippage, got a model and fills.slippage or fills.slippageTicks`,
      'leave one of them out',
    );
  }
  const slippage = models.slippage === undefined ? null : await load('slippage', ['models', 'slippage'], models.slippage);
  const fees = models.fees === undefined ? null : await load('fees', ['models', 'fees'], models.fees);
  const rules: RiskRuleSpec[] = [];
  const codes = new Set<string>();
  for (const [index, file] of (models.risk ?? []).entries()) {
    const path = ['models', 'risk', index];
    const rule = await load('risk', path, file);
    checkRuleCode(rule.code, codes, whereIs(source, path));
    checkReductions(rule, whereIs(source, path));
    rules.push(rule);
  }
  return { slippage, fees, rules, records, reach: reachWarnings };
}

/**
 * Throws ConfigError unless `reductionsToo` is a boolean or missing. In a plain JavaScript file it may be anything, and the text 'false'
 * would apply the rule to reductions and could block an exit.
 */
function checkReductions(
  { code, reductionsToo: configured }: { readonly code: string; readonly reductionsToo?: unknown },
  where: string,
): void {
  if (configured === undefined || typeof configured === 'boolean') return;
  throw new ConfigError(
    `${where}: reductionsToo of the risk rule ${code}: expected true or false, got ${describeAnswer(configured)}`,
    'write reductionsToo: true where reductions are asked about as well, else leave it out',
  );
}
