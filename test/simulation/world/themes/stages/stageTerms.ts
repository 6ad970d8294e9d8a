// What the kill of a day finds, and the scenes of days that end with a kill: what is lost just before it, and what persons and lists do then.

/** What the kill of a day finds. */
export interface KillTerms {
  /** The journal: whole, an older copy of it, or none. */
  readonly journal: 'whole' | 'old' | 'none';
  /** True if no reply to the kill has a client order id. */
  readonly hidesClientIds: boolean;
  /** What a person has done: placed orders like the lost ones, placed as many as a list shows, or locked the coins of the account. */
  readonly manual: 'alike' | 'many' | 'locked';
}

/**
 * Faults of create requests that only scenes have. `refusal`: the exchange refuses the order, and does not carry it out. `nextId`: the reply has
 * the id that the exchange gives to the next order.
 */
export type StagedRequestFault = 'refusal' | 'nextId';

/**
 * The scenes, in the order of their seeds. `own` is the order of the bot with which the scene begins; `alike` is an order with the same terms
 * that a person places by hand. Orders that take fill at once.
 */
export const SCENES = [
  // The reply to a buy that takes is lost, and a person buys alike.
  'alikeFilled',
  // A buy that takes is lost, and another program with client order ids of its own buys alike.
  'otherName',
  // A buy that takes is refused, the strategy asks again, that one is lost, and a person buys alike.
  'retriedBuy',
  // The same with sales.
  'retriedSale',
  // The network delivers a sale that takes twice, and the journal has the fills of the second copy.
  'copiedSale',
  // The same, and the list of trades lacks the fills of the second copy while the kill reads it.
  'unlistedCopy',
  // A buy that rests is lost, and a person places one alike after its admission window.
  'laterAlike',
  // A buy that takes is lost, and arrives between the two last readings of the kill.
  'lateInVerify',
  // The reply to the first slice of the kill is lost, and a person sells alike.
  'lostSlice',
  // A sale that takes is lost; a person sells as much below its limit, and replies lack prices of orders.
  'noPrices',
  // A buy that takes is refused, the strategy asks again, and the reply to that one is lost. The bot continues for minutes.
  'retriedFilled',
] as const;
/** Scenes that came later. They have seeds of their own, so that the others keep theirs. */
export const LATER_SCENES = [
  // The reply to a buy that takes has the id of the next order of the bot, so that two orders have one id.
  'nextId',
] as const;
export type Scene = (typeof SCENES)[number] | (typeof LATER_SCENES)[number];

/** The days from this one on of the thousand days of the theme have the later scenes. */
const FIRST_LATER_DAY = 500;
/** Returns the scene of a seed. */
export function sceneOf(seed: number): Scene {
  const day = (seed - 1) % 1000;
  return day < FIRST_LATER_DAY ? SCENES[day % SCENES.length]! : LATER_SCENES[day % LATER_SCENES.length]!;
}
