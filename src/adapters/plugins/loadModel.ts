// Loads a model file: a slippage model, a fee model or a risk rule.

import { ConfigError } from '../../base/errors.ts';
import type { FeeSpec, RiskRuleSpec, SlippageSpec } from '../../strategy/models.ts';
import type { Warning } from '../../model/warning.ts';
import { loadModule, type ModuleLoading } from './loadModule.ts';

/** The type of the default export, by the kind of the model. */
interface ModelSpecs {
  readonly slippage: SlippageSpec;
  readonly fees: FeeSpec;
  readonly risk: RiskRuleSpec;
}
/** The kind of a model. */
export type ModelKind = keyof ModelSpecs;

/** For each kind: its name in messages, the function that makes it, and the method that it must have. */
const MODEL_KINDS: { readonly [Kind in ModelKind]: { readonly noun: string; readonly maker: string; readonly call: string } } = {
  slippage: { noun: 'slippage model', maker: 'slippageModel', call: 'worse' },
  fees: { noun: 'fee model', maker: 'feeModel', call: 'rate' },
  risk: { noun: 'risk rule', maker: 'riskRule', call: 'check' },
};

/** A model from an author's file. */
export interface LoadedModel<Kind extends ModelKind> {
  readonly model: ModelSpecs[Kind];
  /** sha-256 of the bundled code. */
  readonly hash: string;
  /** All bundled files, relative to the folder of the model. */
  readonly inputs: readonly string[];
  /** Warnings about what the code uses outside the run. */
  readonly reach: readonly Warning[];
}

/** Throws ConfigError if the file is missing, does not compile or exports no such model; StrategyError if its top-level code throws. */
export async function loadModel<Kind extends ModelKind>(
  kind: Kind,
  file: string,
  displayName: string,
  loading: ModuleLoading = {},
): Promise<LoadedModel<Kind>> {
  const { noun, maker, call } = MODEL_KINDS[kind];
  const { exported, hash, inputs, reach } = await loadModule(file, displayName, noun, loading);
  if (!isModel(exported, kind)) {
    throw new ConfigError(
      `${displayName}: expected a ${noun} as default export, got ${describeExport(exported, noun, call)}`,
      `write: export default ${maker}(...)`,
    );
  }
  return { model: exported, hash, inputs, reach };
}

function isModel<Kind extends ModelKind>(value: unknown, kind: Kind): value is ModelSpecs[Kind] {
  if (typeof value !== 'object' || value === null || !('kind' in value) || value.kind !== kind) return false;
  return typeof Reflect.get(value, MODEL_KINDS[kind].call) === 'function';
}

/** Describes a value that is not an `expectedNoun` with a function `call`. */
function describeExport(value: unknown, expectedNoun: string, call: string): string {
  if (value === undefined) return 'none';
  const kind: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'kind') : undefined;
  const modelKind = Object.entries(MODEL_KINDS).find(([name]) => name === kind);
  if (modelKind !== undefined) {
    const { noun } = modelKind[1];
    return noun === expectedNoun ? `one whose ${call} is not a function` : `a ${noun}`;
  }
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
