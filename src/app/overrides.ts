// Collects the parts that the models and modules of a plan rebind.

import { ADDED_PARTS, type ComposeModule, type ModuleBinding } from '../definition/plan/module.ts';
import type { ModelsPlan } from '../definition/plan/plan.ts';
import type { PARTS, PartToken } from './parts.ts';
import { callModel, describeAnswer } from '../definition/models/callModel.ts';
import { StrategyError } from '../base/errors.ts';
import { orderRuleOf } from './models/riskRules.ts';
import { feeModelOf, slippageOf } from './models/venueModels.ts';

/** One part that a module rebinds. */
export interface Override extends Pick<ModuleBinding, 'part' | 'isWrapping' | 'needs'> {
  /** The place in the definition and the name of the module, for messages. */
  readonly where: string;
  /** Calls the factory of the module and checks its result. The container calls this function. */
  readonly make: (...inputs: readonly unknown[]) => unknown;
}

/** All overrides of a plan: replaced parts, and additions to parts. */
export class Overrides {
  readonly #replaced = new Map<string, Override>();
  readonly #added = new Map<string, Override[]>();

  /** Takes the overrides of the parts that `parts` names. Null takes all. */
  constructor(models: ModelsPlan | undefined, parts: readonly string[] | null = null) {
    if (models === undefined) return;
    for (const binding of modelBindings(models)) this.#take(binding, parts);
    for (const { module, place } of models.modules ?? [])
      for (const binding of module.bindings) this.#take(checkOverride(binding, module, place), parts);
  }

  /** Returns the override of a part. Null when nothing replaces the part. */
  of(part: string): Override | null {
    return this.#replaced.get(part) ?? null;
  }
  /** Returns the additions to a part, in order. */
  added(part: string): readonly Override[] {
    return this.#added.get(part) ?? [];
  }
  /** Returns all replaced parts. */
  all(): readonly Override[] {
    return [...this.#replaced.values()];
  }

  #take(override: Override, parts: readonly string[] | null): void {
    const { part } = override;
    if (parts !== null && !parts.includes(part)) return;
    if (ADDED_PARTS.includes(part)) this.#added.set(part, [...this.added(part), override]);
    else this.#replaced.set(part, override);
  }
}

/** Returns the models of a definition as bindings, so that models and modules are handled in one way. */
function modelBindings({ slippage, fees, rules }: ModelsPlan): readonly Override[] {
  const modelOverride = (part: string, factory: () => unknown): Override => ({
    part,
    isWrapping: false,
    needs: [],
    where: 'models',
    make: factory,
  });
  return [
    ...(slippage === null ? [] : [modelOverride('slippage', () => slippageOf(slippage))]),
    ...(fees === null ? [] : [modelOverride('fees', () => feeModelOf(fees))]),
    ...(rules.length === 0 ? [] : [modelOverride('rules', () => rules.map(orderRuleOf))]),
  ];
}

/** The name of a part. */
type PartName = keyof typeof PARTS;
/** The type that the factory of a part must return. */
type MadeOf<Name extends PartName> = (typeof PARTS)[Name] extends PartToken<infer Made> ? NonNullable<Made> : never;

/** Methods that the result of a factory must have. Other code checks the parts that are not listed here. */
const METHODS: { readonly [Name in PartName]?: readonly (keyof MadeOf<Name> & string)[] } = {
  exchange: ['submit', 'cancel', 'read'],
  barMarket: ['workingOrders', 'matchRow', 'blockOpened', 'settleMarks'],
  orders: ['submit', 'cancel', 'get', 'active'],
  risk: ['attach', 'begin', 'detail'],
  scheduler: ['at', 'cancel', 'runDue'],
  engine: ['submit', 'lastTicks', 'release'],
  clock: ['at', 'cancel'],
  journal: ['denied', 'drafted', 'submitted', 'signMs', 'ack', 'refused', 'evidence', 'fill', 'state', 'cancelSent', 'provenAbsent'],
  notifier: ['send'],
  fees: ['ppm'],
  slippage: ['ticks'],
  latency: ['ms'],
};

/** Returns the override of a module. Its `make` throws StrategyError for an incomplete part. */
function checkOverride({ make, ...binding }: ModuleBinding, { name }: ComposeModule, place: string): Override {
  const where = `${place}: the module ${name}`;
  const factory = make as (...inputs: readonly unknown[]) => unknown;
  return {
    ...binding,
    where,
    make(...inputs) {
      const instance = callModel(`${where}: its factory of ${binding.part}`, factory, ...inputs);
      const missing = missingIn(binding.part, instance);
      if (missing === null) return instance;
      throw new StrategyError(
        `${where}: expected ${missing}, got ${describeAnswer(instance)}`,
        `return it from the factory of ${binding.part}; docs/compose.md has an example`,
      );
    },
  };
}

/** Returns what a part should be or have, as text. Null when the part is complete. */
function missingIn(part: string, instance: unknown): string | null {
  if ((part === 'fees' || part === 'barMarket') && instance === null) return null;
  if (part === 'rules') return isRules(instance) ? null : 'a list of rules, each with kind, code, check and detail';
  if (part === 'strategies') return Array.isArray(instance) ? null : 'a list of strategies';
  const methods: readonly string[] = METHODS[part as PartName] ?? [];
  const method = methods.find((name) => !hasMethod(instance, name));
  return method === undefined ? null : `${part} with the method ${method}`;
}

/** True for a list of rules that check orders. */
function isRules(instance: unknown): boolean {
  if (!Array.isArray(instance)) return false;
  const list: readonly unknown[] = instance;
  return list.every((rule) => hasMethod(rule, 'check') && hasMethod(rule, 'detail') && Reflect.get(rule, 'kind') === 'order');
}

function hasMethod(instance: unknown, name: string): instance is object {
  return typeof instance === 'object' && instance !== null && typeof Reflect.get(instance, name) === 'function';
}
