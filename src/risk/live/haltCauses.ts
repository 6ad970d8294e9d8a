// Lists the halt causes that exchange, disk and clock raise in a live bot, with the risk state of each. Engine and documents read the list.

import type { HaltState } from './halts.ts';

/** How a halt cause works: what it stops, and who clears it. */
export interface HaltCauseSpec {
  readonly state: HaltState;
  /** True if only the operator clears it. Otherwise the code that raised it clears it, too. */
  readonly needsPerson: boolean;
  /** What has happened, in a sentence for the operator. */
  readonly help: string;
}

/** Returns a cause of HALT_NEW that ends by itself: the code that raised it clears it. */
const clearedByCode = (help: string): HaltCauseSpec => ({ state: 'HALT_NEW', needsPerson: false, help });
/** Returns a cause of HALT_NEW that only the operator clears. */
const clearedByOperator = (help: string): HaltCauseSpec => ({ state: 'HALT_NEW', needsPerson: true, help });

/** All halt causes with their codes (docs/operations.md). */
export const HALT_CAUSES: Readonly<Record<string, HaltCauseSpec>> = {
  UNKNOWN_OUTCOME: clearedByCode('the answer to an order was lost; lists are read until they show its outcome'),
  NEEDS_PERSON: clearedByCode('the lists of the exchange do not show the outcome of an order: the operator must decide'),
  LATE_LANDING: clearedByOperator('an order that was proven absent, or refused, has appeared at the exchange; it is being cancelled'),
  ALIEN: clearedByOperator('an order or a fill at the exchange is not of this bot'),
  NO_JOURNAL: clearedByOperator('the data folder has no journal, and the exchange has orders or trades of a bot: books begin without them'),
  DUPLICATE: clearedByOperator('the exchange has an order of this bot twice'),
  STRAY: clearedByCode('a fill belongs to no order that is known; it is being looked up'),
  GAP: clearedByCode('a list of the exchange may be missing rows; it is read again'),
  MISMATCH: clearedByOperator('holdings at the exchange are not what the fills say'),
  ECHO: clearedByOperator('the exchange has acknowledged another order than the one that was sent, or two orders with one id'),
  ADMISSION: clearedByOperator('the exchange has admitted an order outside of its own time window'),
  FEE_COIN: clearedByOperator('fees are taken in a coin that the books do not have'),
  FINE_FILL: clearedByOperator('a fill is finer than a lot or a tick: what no order can hold of it is booked to the account'),
  POST_TRADE: clearedByOperator('a fill is not what its order allows, or more than its strategy held'),
  KEY: clearedByOperator('the exchange does not accept the key; nothing signed is repeated'),
  LOCKED: { state: 'KILLED', needsPerson: true, help: 'the exchange has locked or restricted the account' },
  BANNED: clearedByCode('the exchange has banned this address for a while; nothing is sent'),
  SETTINGS: clearedByCode('leverage or mode of a contract is not confirmed yet; it is not opened until then'),
  STATUS: clearedByOperator(
    'the exchange names a state of an order that this version does not know, or does not find an acknowledged order by its id; the order counts as live',
  ),
  INCIDENT: clearedByCode('the exchange has answered several times that it does not know what it did'),
  CLOCK: clearedByCode('the time of the exchange is not known well enough to sign orders'),
  STALE_DATA: clearedByCode('prices are too old, or not sound'),
  STALE_ACCOUNT: clearedByCode('orders and balances could not be compared with the exchange for too long'),
  DEAD_MAN: clearedByCode('the operator has shown no presence, or not answered an alert'),
  UNKNOWN_BUDGET: clearedByCode('too many orders of unknown outcome at once'),
  NAKED: clearedByCode('a position has no stop that is known to stand'),
  NAKED_EXIT: clearedByCode('a position has had no stop for too long and is being closed'),
  MAINTENANCE: clearedByCode('a maintenance window of the config: nothing new is risked, working orders stay'),
  MAINTENANCE_CANCEL: clearedByCode('a maintenance window of the config: nothing new is risked, orders that would open are cancelled'),
  JOURNAL: { state: 'CANCEL_ONLY', needsPerson: true, help: 'the journal cannot be written: no order may leave, a restart is needed' },
};

/** Returns the specification of a code. A code that is not in the list needs the operator. */
export const haltCauseOf = (code: string): HaltCauseSpec =>
  HALT_CAUSES[code] ?? clearedByOperator('something that this version has no words for');
