// The scenes of days of the theme `stagedKills`, which end with a kill, and what the kill of such a day or of a day of `twins` finds.
// A scene begins with an order of the bot that the network or the exchange disturbs. Often a person then places a similar order by hand: one
// with the same symbol, side, size and price.

import { SEEDS_PER_THEME } from '../themedDay.ts';

/** What the kill of a day finds. */
export interface KillSituation {
  /** The journal: whole, an older copy of it, or none. */
  readonly journal: 'whole' | 'old' | 'none';
  /** True if no reply to the kill has a client order id. */
  readonly hidesClientIds: boolean;
  /** What a person has done: placed orders similar to the lost ones, placed enough orders to fill a list, or locked the coins in orders. */
  readonly manual: 'similarOrders' | 'fullList' | 'lockedCoins';
}

/**
 * Faults of create requests that only scenes have. `refusal`: the exchange refuses the order. `nextId`: the reply has the id that the exchange
 * gives to the next order.
 */
export type SceneRequestFault = 'refusal' | 'nextId';

/** The scenes, in the order of their seeds. Taker orders of the bot fill at once, maker orders rest. */
export const SCENES = [
  // The reply to a taker buy is lost. A person places a similar buy.
  'alikeFilled',
  // The request of a taker buy is lost. Another program, with client order ids of its own, places a similar buy.
  'otherName',
  // A taker buy is refused, and the strategy repeats it. That request is lost. A person places a similar buy.
  'retriedBuy',
  // The same with sales.
  'retriedSale',
  // The network delivers the request of a taker sale twice. The journal has the fills of the second copy.
  'copiedSale',
  // The same, and the list of trades lacks the fills of the second copy while the kill reads it.
  'unlistedCopy',
  // The request of a maker buy is lost. A person places a similar buy after the admission window of the request.
  'laterAlike',
  // The request of a taker buy is lost. It arrives between the last two reads of the kill.
  'lateInVerify',
  // The reply to the first slice of the kill is lost. A person places a similar sale.
  'lostSlice',
  // The request of a taker sale is lost. A person sells the same size at a lower limit, and replies to the kill lack prices of orders.
  'noPrices',
  // A taker buy is refused, and the strategy repeats it. The reply to the repetition is lost. The bot continues for minutes.
  'retriedFilled',
] as const;
/** Scenes that were added later. They have seeds of their own, so that the others keep theirs. */
export const LATER_SCENES = [
  // The reply to a taker buy has the id of the bot's next order, so that two orders have one id.
  'nextId',
] as const;
/** Scenes in which the exchange answers the kill with rows that are old or lack something. */
export const LIST_SCENES = [
  // For a minute, queries of the first slice of the kill show it without fills and with a status that no table has, and lists lack its trades.
  'strangeSlice',
  // The request of a taker buy is lost. A person places a similar buy, and another order that the kill cannot read once its cancels are done.
  'unreadableRow',
] as const;
export type Scene = (typeof SCENES)[number] | (typeof LATER_SCENES)[number] | (typeof LIST_SCENES)[number];

/** The days from these on, of the thousand days of the theme, have the later scenes, and the scenes of lists. */
const FIRST_LATER_DAY = 500;
const FIRST_LIST_DAY = 700;

/** Returns the scene of a seed. */
export function sceneOf(seed: number): Scene {
  const day = (seed - 1) % SEEDS_PER_THEME;
  if (day >= FIRST_LIST_DAY) return LIST_SCENES[day % LIST_SCENES.length]!;
  return day < FIRST_LATER_DAY ? SCENES[day % SCENES.length]! : LATER_SCENES[day % LATER_SCENES.length]!;
}
