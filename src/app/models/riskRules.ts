// Adapts custom risk rules to the risk module: whole numbers become prices and quantities, and a returned text becomes a denial.

import { StrategyError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { Draft, OrderRule, RiskState } from '../../risk/rules/rule.ts';
import { isReduction } from '../../risk/rules/openOrderRules.ts';
import type { AccountSnapshot, ProposedOrder, RiskRuleSpec } from '../../strategy/models.ts';
import { callModel, describeAnswer } from '../../definition/models/callModel.ts';

export function orderRuleOf(spec: RiskRuleSpec): OrderRule {
  // The custom function is called once for an order, and its text is kept for `detail`.
  let why = '';
  return {
    kind: 'order',
    code: spec.code,
    keys: [],
    needs: ['ledger', 'orders', 'marks'],
    check: (order, state) => {
      const found = refusal(spec, order, state);
      why = found ?? '';
      return found === null;
    },
    detail: () => why,
  };
}

function refusal({ code, check, reductionsToo }: RiskRuleSpec, order: Draft, state: RiskState): string | null {
  const isLess = isReduction(order, state);
  if (isLess && !reductionsToo) return null;
  const answer = callModel(`the risk rule ${code}`, check, askingOrder(order, isLess), askingAccount(order, state));
  if (answer === null || typeof answer === 'string') return answer;
  throw new StrategyError(
    `the risk rule ${code} answers neither null nor a text but ${describeAnswer(answer)}`,
    'it answers null to let an order pass, or a text that says why not',
  );
}

function askingOrder({ instrument, side, worstLots, worstUnits, limit, slot }: Draft, isLess: boolean): ProposedOrder {
  return {
    symbol: instrument.wireName,
    side,
    qty: worstLots / pow10(instrument.quantityDigits),
    notional: worstUnits / pow10(instrument.quoteDigits),
    limit: limit === 0 ? NaN : limit / pow10(instrument.priceDigits),
    tag: slot,
    isReduction: isLess,
  };
}

function askingAccount({ instrument, instrumentIndex, strategy }: Draft, state: RiskState): AccountSnapshot {
  const { ledger, instruments, marks, reservations, nowMs, mark } = state;
  const quote = pow10(instrument.quoteDigits);
  // A symbol without a price yet cannot be held.
  const prices = instruments.map((_, index) => (index === instrumentIndex ? mark : marks.lastTicks(index)));
  return {
    timeMs: nowMs,
    price: mark / pow10(instrument.priceDigits),
    cash: ledger.cash(strategy) / quote,
    equity: ledger.equityUnits(strategy, prices) / quote,
    position: ledger.qty(strategy, instrumentIndex) / pow10(ledger.qtyDigits(instrumentIndex)),
    openOrders: reservations.open(instrumentIndex),
  };
}
