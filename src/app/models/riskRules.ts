// Adapts custom risk rules to the risk module: they receive prices and quantities, and a returned text denies the order.

import { StrategyError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import type { Draft, OrderRule, RiskState } from '../../risk/rules/rule.ts';
import { isReduction } from '../../risk/rules/openOrderRules.ts';
import type { AccountSnapshot, ProposedOrder, RiskRuleSpec } from '../../strategy/models.ts';
import { callModel, describeAnswer } from '../../definition/models/callModel.ts';

/** Returns the rule of the risk module for a custom rule. */
export function orderRuleOf(spec: RiskRuleSpec): OrderRule {
  // `detail` must not call the custom function a second time, so `check` keeps its text.
  let denialReason = '';
  return {
    kind: 'order',
    code: spec.code,
    keys: [],
    needs: ['ledger', 'orders', 'marks'],
    check: (order, state) => {
      const reason = denialReasonOf(spec, order, state);
      denialReason = reason ?? '';
      return reason === null;
    },
    detail: () => denialReason,
  };
}

/** Returns the reason for which the rule denies an order. Null when the order passes. Throws StrategyError for any other answer. */
function denialReasonOf({ code, check, reductionsToo }: RiskRuleSpec, order: Draft, state: RiskState): string | null {
  const isReducing = isReduction(order, state);
  if (isReducing && !reductionsToo) return null;
  const answer = callModel(`the risk rule ${code}`, check, proposedOrder(order, isReducing), accountSnapshot(order, state));
  if (answer === null || typeof answer === 'string') return answer;
  throw new StrategyError(
    `the risk rule ${code} returned neither null nor a text but ${describeAnswer(answer)}`,
    'return null to approve an order, or a text with the reason for a denial',
  );
}

/** Returns the order as the custom function sees it. */
function proposedOrder({ instrument, side, worstLots, worstUnits, limit, slot }: Draft, isReducing: boolean): ProposedOrder {
  return {
    symbol: instrument.wireName,
    side,
    qty: worstLots / pow10(instrument.quantityDigits),
    notional: worstUnits / pow10(instrument.quoteDigits),
    limit: limit === 0 ? NaN : limit / pow10(instrument.priceDigits),
    tag: slot,
    isReduction: isReducing,
  };
}

/** Returns the account as the custom function sees it. */
function accountSnapshot({ instrument, instrumentIndex, strategy }: Draft, state: RiskState): AccountSnapshot {
  const { ledger, instruments, marks, reservations, nowMs, mark } = state;
  const quote = pow10(instrument.quoteDigits);
  // The price of a symbol without a bar is NaN, but no position can be in such a symbol.
  const prices = instruments.map((_, index) => (index === instrumentIndex ? mark : marks.lastTicks(index)));
  const equity = ledger.equityUnits(strategy, prices);
  const isConverted = ledger instanceof ConvertedLedger;
  const conversion = isConverted ? ledger.conversionOf(instrumentIndex) : null;
  return {
    timeMs: nowMs,
    price: mark / pow10(instrument.priceDigits),
    cash: (isConverted ? ledger.of(instrumentIndex) : ledger).cash(strategy) / quote,
    equity: (conversion === null ? equity : conversion.unitsFor(equity, prices[conversion.index]!)) / quote,
    position: ledger.qty(strategy, instrumentIndex) / pow10(ledger.qtyDigits(instrumentIndex)),
    openOrders: reservations.openOrders(instrumentIndex),
  };
}
