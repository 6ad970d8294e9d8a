// Commands that show the effect of a call that changes something, ready to be run.

import { assertNever } from '../../base/assert.ts';
import type { CallArguments } from '../../protocol/arguments.ts';
import { endpointOf, type Op } from '../../protocol/endpoints/endpoints.ts';

/**
 * Returns the commands that show the effect of `op` called with `args`. Empty for reads and tests. For a new order, `args` should have its
 * `orderId` if it is known.
 */
export function followUpCommands(op: Op, args: CallArguments): readonly string[] {
  const text = (name: string): string => (typeof args[name] === 'string' ? ` ${name}=${args[name]}` : '');
  return callsFor(op, text).map((call) => `isobar api ${call}`);
}

/** Returns the argument as ` name=value`. Empty without a value. */
type ArgumentText = (name: string) => string;

/** Returns the calls that show the effect of a call; empty for a read. */
function callsFor(op: Op, text: ArgumentText): readonly string[] {
  const { effect } = endpointOf(op);
  switch (effect) {
    case 'read':
    case 'test':
      return [];
    case 'setting':
      return [`futures.positions${text('contractName')}`, 'futures.account'];
    case 'create':
      return forCreate(op, text);
    case 'cancel':
      return [forCancel(op, text)];
    default:
      return assertNever(effect);
  }
}

/** Returns the calls that show a new order. */
function forCreate(op: Op, text: ArgumentText): readonly string[] {
  const symbol = text('symbol');
  const contract = text('contractName');
  const id = text('orderId');
  const clientId = text('newClientOrderId');
  if (op === 'futures.createConditionOrder') return [`futures.triggerOrderList${contract}`, `futures.orderHistory${contract}`];
  if (op === 'futures.createOrder') {
    return id === '' ? [`futures.openOrders${contract}`, `futures.orderHistory${contract}`] : [`futures.orderInformation${contract}${id}`];
  }
  if (id !== '') return [`spot.queryOrder${symbol}${id}`];
  const byClientId = clientId === '' ? [] : [`spot.queryOrder${symbol}${clientId}`];
  return [...byClientId, `spot.openOrders${symbol} limit=100`, `spot.myTrades${symbol}`];
}

/** Returns the call that shows a cancelled order. */
function forCancel(op: Op, text: ArgumentText): string {
  const symbol = text('symbol');
  const contract = text('contractName');
  const id = text('orderId');
  if (op === 'futures.cancelTriggerOrder') return `futures.triggerOrderList${contract}`;
  if (op === 'futures.cancelOrder') return `futures.orderInformation${contract}${id}`;
  if (op === 'spot.batchCancel') return `spot.openOrders${symbol} limit=100`;
  return `spot.queryOrder${symbol}${id === '' ? text('newClientOrderId') : id}`;
}
