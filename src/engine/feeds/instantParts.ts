// `decide: perFeed`: an instant is visited in parts, one for each instrument that has bars at it. This is how far the visit has come.

export class InstantParts {
  /** The instruments in the order in which strategies need them. */
  byNeed: readonly number[] = [];
  /** Returns the order of all instruments at an instant, such as the one that a journal records. Null: the order of need. */
  orderAt: ((t: number) => readonly number[]) | null = null;
  /** Place of the visited part in that order, and whether its bars are delivered. */
  place = 0;
  isDelivered = false;
}
