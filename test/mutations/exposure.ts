// Lists guards 32 to 46, 51, 52 and 60: what counts as open until its end is certain, and what is booked.

import { switchGuard, type Guard } from './guard.ts';

const EXCHANGE_FAULTS_TEST = 'test/rest/exchangeFaults.test.ts';
const EXCHANGE_GUARDS_TEST = 'test/rest/exchangeGuards.test.ts';
const MANAGER = 'src/orders/orderManager.ts';
const CONFLICTS = 'src/orders/conflicts.ts';
const LIVE_ORDERS = 'src/orders/liveOrders.test.ts';
const RESERVED = 'an order is reserved from its approval until its end is certain';
const REDUCTIONS = {
  file: 'src/risk/rules/openOrderRules.ts',
  from: 'return takenLots(strategy, instrumentIndex, isBuy, ledger, reservations) + worstLots <= closableLots;',
  to: 'return worstLots <= closableLots;',
};
/** The same change for reductions that sell coins. */
const SALES = {
  file: 'src/risk/exposure/spotExposure.ts',
  from: 'reservations.sellLots(strategy, instrumentIndex) + order.worstLots;',
  to: 'order.worstLots;',
};

/** The guards, in the order of their numbers. */
export const EXPOSURE: readonly Guard[] = [
  {
    row: 32,
    name: '32: orders of unknown outcome are not reserved',
    file: MANAGER,
    from: 'order.wasUnknown = true;',
    to: 'order.wasUnknown = true;\n    this.reservations.release(order);',
    test: LIVE_ORDERS,
    testTitle: RESERVED,
  },
  {
    row: 33,
    name: '33: sent orders are not reserved',
    file: MANAGER,
    from: 'const seq = this.journal.submitted(order);',
    to: 'const seq = this.journal.submitted(order);\n    this.reservations.release(order);',
    test: LIVE_ORDERS,
    testTitle: RESERVED,
  },
  {
    row: 34,
    name: '34: reductions ignore other open orders that close the same position',
    ...SALES,
    otherChanges: [REDUCTIONS],
    test: 'src/risk/rules.test.ts',
    testTitle: 'MARGIN',
  },
  {
    row: 35,
    name: '35: refused orders are not looked for',
    file: 'src/adapters/exchange/order/matchRow.ts',
    from: '!tracked.isOnWire || tracked.hasEnded) return false;',
    to: "!tracked.isOnWire || tracked.hasEnded || tracked.order.reason === 'refused') return false;",
    test: 'src/adapters/exchange/order/matchRow.test.ts',
    testTitle: 'a refused order that exists at the exchange',
  },
  {
    row: 36,
    name: '36: an order that no list shows counts as ended',
    file: 'src/adapters/exchange/observe/statusReader.ts',
    from: 'this.#noteEmptyRead(tracked);\n      return;',
    to: "this.#reportEnd(tracked, 'canceled');\n      return;",
    test: EXCHANGE_GUARDS_TEST,
    testTitle: 'that is not found by its id stays working',
  },
  {
    row: 37,
    name: '37: an unknown status counts as the end of an order',
    file: 'src/protocol/shapes/codes.ts',
    from: "UNKNOWN: { kind: 'neither', lifecycle: null, reason: null },",
    to: "UNKNOWN: terminalMeaning('canceled'),",
    test: 'src/protocol/shapes/codes.test.ts',
    testTitle: 'a text or number outside of the table is UNKNOWN, which is never terminal',
  },
  {
    row: 38,
    name: '38: a requested cancel releases the reservation',
    file: MANAGER,
    from: 'this.journal.cancelSent(order);\n    this.exchange.cancel(order);\n  }',
    to: 'this.journal.cancelSent(order);\n    this.reservations.release(order);\n    this.exchange.cancel(order);\n  }',
    test: LIVE_ORDERS,
    testTitle: RESERVED,
  },
  {
    row: 39,
    name: '39: an end is confirmed although fills are missing',
    file: 'src/adapters/exchange/order/assessStatus.ts',
    from: 'if (isFarEnough && !needsTrades && (',
    to: 'if (isFarEnough && (',
    test: 'src/adapters/exchange/order/assessStatus.test.ts',
    testTitle: 'missing fills leave the status unconfirmed',
  },
  {
    row: 40,
    name: '40: one reading confirms an end',
    file: 'src/adapters/exchange/order/assessStatus.ts',
    from: 'const isFarEnough = isSame && newReading.atMs >= firstRead.atMs + lagMs;',
    to: 'const isFarEnough = true;',
    test: 'src/adapters/exchange/order/assessStatus.test.ts',
    testTitle: 'a first terminal reading',
  },
  {
    row: 41,
    name: '41: booked fills are forgotten by a restart',
    file: 'src/adapters/exchange/restoreTracking.ts',
    from: 'target.bookedIdsOf(index).restore(tradeId, side);',
    to: '{}',
    test: 'test/rest/exchangeRestart.test.ts',
    testTitle: 'a working order continues after a restart: what it fills meanwhile is booked once',
  },
  switchGuard(42, 'earlyFills', 'orders/prove'),
  {
    row: 43,
    name: '43: one leg of a trade with ourselves is booked',
    file: 'src/adapters/exchange/observe/tradeReader.ts',
    from: "const keyOf = ({ tradeId, side }: Pick<TradeRow, 'tradeId' | 'side'>): string => `${tradeId} ${side}`;",
    to: "const keyOf = ({ tradeId }: Pick<TradeRow, 'tradeId' | 'side'>): string => tradeId;",
    test: EXCHANGE_FAULTS_TEST,
    testTitle: 'X9: both legs of a trade with ourselves are booked once',
  },
  {
    row: 44,
    name: '44: a trigger order of unknown status counts as ended',
    file: 'src/adapters/exchange/calls/triggers.ts',
    from: "=> word === 'PENDING' || word === 'UNKNOWN';",
    to: "=> word === 'PENDING';",
    otherChanges: [{ file: 'src/adapters/exchange/calls/triggers.ts', from: "  UNKNOWN: 'UNKNOWN',", to: "  UNKNOWN: 'CANCELED'," }],
    test: EXCHANGE_GUARDS_TEST,
    testTitle: 'a stop with an unknown status counts as live',
  },
  {
    row: 45,
    name: '45: a second stop follows one of unknown outcome',
    file: CONFLICTS,
    from: "if (openOrder.side === order.side && openOrder.state === STATE.unknown) return 'SIDE_UNKNOWN';",
    to: '',
    otherChanges: [
      {
        file: 'src/adapters/exchange/send/createQueue.ts',
        from: "if (otherOrder.lifecycle === 'unknown' && otherOrder.request.side === side) return 'SIDE_UNKNOWN';",
        to: '',
      },
      REDUCTIONS,
      SALES,
    ],
    test: EXCHANGE_GUARDS_TEST,
    testTitle: 'no second stop is sent while the outcome of the first is unknown',
  },
  {
    row: 46,
    name: '46: an order of unknown outcome is dropped by a restart',
    file: MANAGER,
    from: "if (restored.state === 'refused') this.endedOrders.add(order);",
    to: "if (restored.state === 'refused' || restored.state === 'unknown') this.endedOrders.add(order);",
    test: 'test/simulation/restart.test.ts',
    testTitle: 'restores orders, positions and halts twice in a row',
  },
  {
    row: 51,
    name: '51: a symbol with an unknown outcome takes new risk',
    file: 'src/engine/router/unknownOutcomes.ts',
    from: 'this.engine.risk.haltInstrument(instrumentIndex, UNKNOWN, this.engine.nowMs);',
    to: '',
    test: 'test/engine/lostReplies.test.ts',
    testTitle: 'blocks its side of the symbol until it is resolved',
  },
  {
    row: 52,
    name: '52: a decision slot is free while its order is of unknown outcome',
    file: CONFLICTS,
    from: 'order.parent === 0 && openOrder.parent === 0 && openOrder.strategy === order.strategy',
    to: 'openOrder.state !== STATE.unknown && order.parent === 0 && openOrder.parent === 0 && openOrder.strategy === order.strategy',
    test: LIVE_ORDERS,
    testTitle: 'a decision slot is busy on either side while the outcome of its order is unknown',
  },
  {
    row: 60,
    name: '60: a kill sends the next slice while one is of unknown outcome',
    file: 'src/tasks/kill/flatten/flatten.ts',
    from: "if (outcome.kind === 'unknown') {",
    to: "if (outcome.kind === 'unknown') continue;\n    if (outcome.kind === 'unknown') {",
    test: 'src/tasks/kill/flatten/flatten.test.ts',
    testTitle: 'flattening sends no slice after one of unknown outcome',
  },
];
