// Computes the exposure of an account with both markets: the sum of its contracts and its coins. Also chooses the model for a ledger.

import { InvariantError } from '../../base/errors.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import { PairedLedger } from '../../portfolio/pairedLedger.ts';
import { SpotLedger } from '../../portfolio/spotLedger.ts';
import { ContractExposure } from './contractExposure.ts';
import { ConvertedExposure } from './convertedExposure.ts';
import type { AccountWorstCase, Draft, ExposureModel, RiskState } from '../rules/rule.ts';
import { SpotExposure } from './spotExposure.ts';
import { limitMoneyText } from '../limits/limitTexts.ts';

/** The exposure of an account with contracts and coins. */
export class PairedExposure implements ExposureModel {
  readonly scopeWords = 'both markets';
  readonly instrumentWord = 'symbol';
  readonly hasShorts = true;
  readonly contracts: ContractExposure;
  private readonly coins: SpotExposure;
  private readonly ledger: PairedLedger;
  private readonly reservations: Reservations;

  constructor(ledger: PairedLedger, reservations: Reservations) {
    this.contracts = new ContractExposure(ledger.futures, reservations, true);
    this.coins = new SpotExposure(ledger.spot, reservations, ledger.contractCount);
    this.ledger = ledger;
    this.reservations = reservations;
  }

  /** Returns the model of the instrument's market. */
  private modelOf(instrumentIndex: number): ExposureModel {
    return instrumentIndex < this.ledger.contractCount ? this.contracts : this.coins;
  }

  addsNothing(order: Draft, state: RiskState): boolean {
    return this.modelOf(order.instrumentIndex).addsNothing(order, state);
  }
  position(order: Draft): number {
    return this.modelOf(order.instrumentIndex).position(order);
  }
  positionText(quantity: number, order: Draft): string {
    return this.modelOf(order.instrumentIndex).positionText(quantity, order);
  }
  notional(instrumentIndex: number, order: Draft | null, state: RiskState): number {
    return this.modelOf(instrumentIndex).notional(instrumentIndex, order, state);
  }
  computeWorstCase(order: Draft | null, state: RiskState): AccountWorstCase {
    const { gross, equity } = this.contracts.computeWorstCase(order, state);
    const account = this.coins.computeWorstCase(order, state);
    account.gross += gross;
    account.equity += equity;
    return account;
  }
  net(order: Draft, state: RiskState): number {
    return this.contracts.net(order, state) + this.coins.net(order, state);
  }
  isBacked(order: Draft, state: RiskState): boolean {
    return this.modelOf(order.instrumentIndex).isBacked(order, state);
  }
  backingText(order: Draft, state: RiskState): string {
    const { market } = order.instrument;
    const reserved = limitMoneyText(this.reservations.marketCash(order.strategy, market), this.ledger);
    return `${this.modelOf(order.instrumentIndex).backingText(order, state)}; of the reserved, ${reserved} are of the ${market} account`;
  }
}

/** Returns the exposure model for a ledger. Throws InvariantError for an unknown kind of ledger. */
export function exposureOf(ledger: Ledger, reservations: Reservations): ExposureModel {
  if (ledger instanceof SpotLedger) return new SpotExposure(ledger, reservations, 0);
  if (ledger instanceof FuturesLedger) return new ContractExposure(ledger, reservations, false);
  if (ledger instanceof ConvertedLedger) return new ConvertedExposure(ledger, reservations);
  if (ledger instanceof PairedLedger) return new PairedExposure(ledger, reservations);
  throw new InvariantError(`exposure is not known for the ledger of ${ledger.market}`);
}
