// An account of the venue without its balances: its name, the number of its open orders and the limit on them.

import { ConfigError } from '../base/errors.ts';
import { VENUE_CODES } from '../model/venueCodes.ts';

// hot: docs/performance.md#imported-constants
const { accountRestricted, tooManyOrders } = VENUE_CODES;

/** One account of the venue, in all instruments of its market. */
export class Account {
  /** Its name, for messages. */
  readonly name: string;
  /** True when the venue rejects all its orders. */
  readonly isRestricted: boolean;
  /** Number of unfinished orders; the books count them. */
  openOrders = 0;
  /** Limit on unfinished orders. */
  maxOpen: number;

  constructor(name: string, isRestricted: boolean, maxOpen: number) {
    this.name = name;
    this.isRestricted = isRestricted;
    this.maxOpen = maxOpen;
  }

  /** Returns the code with which the venue refuses every order of the account, or 0. */
  refusal(): number {
    if (this.isRestricted === true) return accountRestricted.code;
    return this.openOrders < this.maxOpen ? 0 : tooManyOrders.code;
  }
}

/** Adds an account to those of a venue and returns its index. Throws ConfigError when the name is taken. */
export function addAccount(accounts: Account[], account: Account): number {
  const { name } = account;
  if (accounts.some((existing) => existing.name === name)) {
    throw new ConfigError(`account ${name}: the name is taken`, 'choose another name');
  }
  return accounts.push(account) - 1;
}
