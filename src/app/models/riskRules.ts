// Adapts custom risk rules to the risk module. They receive prices, quantities and money as numbers, and a returned text denies the order.

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

/** Returns why the rule denies the order; null when the order passes. Throws StrategyError if the function returns anything else. */
function denialReasonOf({ code, check, reductionsToo }: RiskRuleSpec, order: Draft, state: RiskState): string | null {
  const isReducing = isReduction(order, state);
  if (isReducing && !reductionsToo) return null;
  const reason = callModel(`the risk rule ${code}`, check, proposedOrder(order, isReducing), accountSnapshot(order, state));
  if (reason === null || typeof reason === 'string') return reason;
  throw new StrategyError(
    `the risk rule ${code} returned neither null nor a text but ${describeAnswer(reason)}`,
    'return null to approve an order, or a text with the reason for a denial',
  );
}

/** Returns the order as the custom function sees it. Quantity and notional are those of the worst case. */
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
  const { ledger, instruments, marks, reservations, nowMs, mark: markTicks } = state;
  const unitsPerQuote = pow10(instrument.quoteDigits);
  // The price of a symbol without a bar is NaN, but no position can be in such a symbol.
  const lastTicks = instruments.map((_, index) => (index === instrumentIndex ? markTicks : marks.lastTicks(index)));
  const equityUnits = ledger.equityUnits(strategy, lastTicks);
  // With several quote assets the ledger counts equity in the reporting asset. The rule sees the money of this instrument's quote asset.
  const quoteLedger = ledger instanceof ConvertedLedger ? ledger.of(instrumentIndex) : ledger;
  const conversion = ledger instanceof ConvertedLedger ? ledger.conversionOf(instrumentIndex) : null;
  const quoteEquityUnits = conversion === null ? equityUnits : conversion.unitsFor(equityUnits, lastTicks[conversion.index]!);
  return {
    timeMs: nowMs,
    price: markTicks / pow10(instrument.priceDigits),
    cash: quoteLedger.cash(strategy) / unitsPerQuote,
    equity: quoteEquityUnits / unitsPerQuote,
    position: ledger.qty(strategy, instrumentIndex) / pow10(ledger.qtyDigits(instrumentIndex)),
    openOrders: reservations.openOrders(instrumentIndex),
  };
}
