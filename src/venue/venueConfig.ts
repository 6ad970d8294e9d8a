// The configuration of a venue, and its validation.

import { ConfigError } from '../base/errors.ts';
import type { Rounding } from '../base/number/exact.ts';
import type { Instrument, InstrumentId } from '../model/instrument.ts';
import type { FeeModel } from './feeModel.ts';
import { fixedSlippage, withImpact, type SlippageModel } from './slippage.ts';

/** How the venue charges fees. */
export interface VenueFees {
  /** The asset in which the fee is paid: the one received (base for a buyer, quote for a seller), or always the quote asset. */
  readonly in: 'received' | 'quote';
  /** Rounding of the fee at the unit of its asset. */
  readonly rounding: Rounding;
  /** Rates of every instrument, ppm, which replace the instruments' own. */
  readonly makerPpm?: number;
  readonly takerPpm?: number;
  /** Lowers the rate of single fills. */
  readonly model?: FeeModel | null;
}

/** The state of one instrument at the venue, which can make it refuse orders. */
export interface InstrumentState {
  /** True: every order is refused with -2016. */
  readonly frozen?: boolean;
  /** False: every MARKET order is refused with -1139. */
  readonly marketTrading?: boolean;
  /** How far a limit may lie from the last price, in ppm of it; 0 is no band. Beyond it: -1138. */
  readonly priceBandPpm?: number;
}

/** Conditions under which the venue refuses orders; none by default. */
export interface VenueState {
  readonly instruments?: Readonly<Record<InstrumentId, InstrumentState>>;
  /** Operations that are switched off: -1020. */
  readonly off?: readonly ('place' | 'cancel')[];
  /** Names of accounts that may not order: 35. */
  readonly restrictedAccounts?: readonly string[];
  /** The code for a cancel of an order that does not exist; -2013 by default. */
  readonly missingOrderCode?: -2013 | -1112;
}

/** How rows of bars fill orders, in plain numbers, as a run definition or an exchange config sets it. */
export interface FillSettings {
  /** `through`: a resting limit fills when a price passes it. `touch`: a price equal to the limit is enough. */
  readonly limit: 'through' | 'touch';
  /** Largest share of a row's volume that the fills of one instrument may take, ppm; 0 is no cap. */
  readonly maxVolumeSharePpm: number;
  readonly slippageTicks: number;
  /** Slippage of taker fills, in ppm of the price. */
  readonly slippagePpm: number;
  /** Coefficient of the market impact of taker fills, in millionths; 0 is no impact. */
  readonly impactPpm: number;
}

/** The same settings in the form that a venue uses. */
export interface FillTerms extends Omit<FillSettings, 'limit' | 'slippageTicks' | 'slippagePpm' | 'impactPpm'> {
  readonly limitRule: FillSettings['limit'];
  readonly slippage: SlippageModel;
}

/** Returns the terms of `settings`; a custom slippage model replaces their slippage. Market impact is added to either. */
export function fillTerms(settings: FillSettings, model: SlippageModel | null = null): FillTerms {
  const { limit, slippageTicks, slippagePpm, impactPpm, ...otherSettings } = settings;
  return { ...otherSettings, limitRule: limit, slippage: withImpact(model ?? fixedSlippage(slippageTicks, slippagePpm), impactPpm) };
}

/** The settings of a venue and of its matching. */
export interface VenueConfig extends FillTerms {
  /** The position in this list is the index of the instrument. */
  readonly instruments: readonly Instrument[];
  readonly fees: VenueFees;
  /** Limit on unfinished orders of one account; one more is refused with -1015. */
  readonly maxOpenOrders: number;
  readonly state?: VenueState;
}

/** Throws ConfigError for the first invalid setting of a spot venue. */
export function checkVenueConfig(config: VenueConfig): void {
  checkCommon(config);
  for (const { id, market, makerFeePpm, takerFeePpm } of config.instruments) {
    if (market !== 'spot')
      throw new ConfigError(`instrument ${id}: expected a spot instrument, got ${market}`, 'use spot instruments only');
    checkPpm(`instrument ${id} makerFeePpm`, makerFeePpm);
    checkPpm(`instrument ${id} takerFeePpm`, takerFeePpm);
  }
  checkPpm('fees.makerPpm', config.fees.makerPpm ?? 0);
  checkPpm('fees.takerPpm', config.fees.takerPpm ?? 0);
}

/** Throws ConfigError for the first invalid one of the settings that spot and futures share. */
export function checkCommon(config: Pick<VenueConfig, 'instruments' | 'maxVolumeSharePpm' | 'maxOpenOrders' | 'state'>): void {
  if (config.instruments.length === 0) throw new ConfigError('instruments: expected at least one, got none', 'name an instrument to trade');
  const symbols = new Set<string>();
  const { state } = config;
  for (const { id } of config.instruments) {
    if (symbols.has(id)) throw new ConfigError(`instruments: ${id} is listed twice`, 'list each instrument once');
    symbols.add(id);
    checkPpm(`instrument ${id} priceBandPpm`, state?.instruments?.[id]?.priceBandPpm ?? 0);
  }
  for (const id of Object.keys(state?.instruments ?? {})) {
    if (!symbols.has(id))
      throw new ConfigError(`state.instruments: ${id} is not an instrument of this venue`, `known: ${[...symbols].join(', ')}`);
  }
  checkPpm('maxVolumeSharePpm', config.maxVolumeSharePpm);
  if (!(Number.isSafeInteger(config.maxOpenOrders) && config.maxOpenOrders > 0)) {
    throw new ConfigError(
      `maxOpenOrders: expected a whole number above 0, got ${config.maxOpenOrders}`,
      'set the largest number of open orders of an account',
    );
  }
}

/** Throws ConfigError unless `ppm` is a whole number from 0 to 1 000 000. */
export function checkPpm(key: string, ppm: number): void {
  if (Number.isInteger(ppm) && ppm >= 0 && ppm <= 1_000_000) return;
  throw new ConfigError(`${key}: expected a whole number of millionths from 0 to 1000000, got ${ppm}`, '0.1 % is 1000');
}
