// What the exchange keeps of an account beside its money: its name, and how many orders it has and may have.

import { ConfigError } from '../base/errors.ts';
import { VENUE_CODES } from '../model/venueCodes.ts';

// V8 folds a constant of this file, and reads an imported one from its cell at each use.
const { accountRestricted, tooManyOrders } = VENUE_CODES;

export class Account {
  readonly name: string;
  readonly isRestricted: boolean;
  /** Unfinished orders, counted by the books. */
  openOrders = 0;
  /** How many of them it may have. */
  maxOpen: number;

  constructor(name: string, isRestricted: boolean, maxOpen: number) {
    this.name = name;
    this.isRestricted = isRestricted;
    this.maxOpen = maxOpen;
  }

  /** The code with which the exchange takes no order of it, or 0. */
  refusal(): number {
    if (this.isRestricted === true) return accountRestricted.code;
    return this.openOrders < this.maxOpen ? 0 : tooManyOrders.code;
  }
}

/** Adds an account to those of a venue: its index. Throws ConfigError when the name is taken. */
export function enlist(accounts: Account[], account: Account): number {
  const { name } = account;
  if (accounts.some((known) => known.name === name)) {
    throw new ConfigError(`account ${name}: the name is taken`, 'give each account a name of its own');
  }
  return accounts.push(account) - 1;
}
