// The shared context of the checks of one market: its address, its instruments, and replies that are requested only once.

import type { Instrument, Market } from '../../../model/instrument.ts';
import type { Dialect } from '../../../protocol/dialect.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Listing } from '../../../protocol/shapes/answer.ts';
import type { MarginAccount } from '../../../protocol/shapes/margin.ts';
import type { WireContract, SpotSymbol } from '../../../protocol/shapes/market.ts';
import type { SpotAccount } from '../../../protocol/shapes/spot.ts';
import { listedContract, listedSymbol, type ListedInstrument } from '../../download/listedInstruments.ts';
import type { ClockReading, Probe } from './probe.ts';

/** The instrument records of the catalog; it may have none. */
export interface Records {
  symbols(market: Market): readonly string[];
  /** Throws ConfigError for a record that cannot be read. */
  record(market: Market, symbol: string): Instrument | null;
  /** The folder as in messages and commands. */
  readonly folder: string;
}

/** The market to check. */
export interface CheckContextDeps {
  readonly market: Market;
  readonly origin: string;
  readonly dialect: Dialect;
  /** Symbols named by the user; may be empty. */
  readonly symbols: readonly string[];
  readonly records: Records;
  readonly probe: Probe;
}

/** Symbols for requests if the user has not named one. They are liquid on nearly every exchange. */
const DEFAULT_SYMBOLS: Readonly<Record<Market, string>> = { spot: 'BTCUSDT', futures: 'E-BTC-USDT' };

/** The context of one market. */
export class CheckContext {
  /** The market that is checked. */
  readonly market: Market;
  /** The address of its service, without a path. */
  readonly origin: string;
  /** The dialect of the config. */
  readonly dialect: Dialect;
  /** The symbols that the bot will trade. */
  readonly symbols: readonly string[];
  /** The instrument records of the catalog. */
  readonly records: Records;
  /** Sends the calls of the checks. */
  readonly probe: Probe;
  /** Clock offset of this market; null until the clock check has measured it. */
  clock: ClockReading | null = null;
  /** Whether queries are signed: the configured value, until a check finds another. */
  signQuery: Dialect['signQuery'];
  #symbols: Promise<Outcome<Listing<SpotSymbol>>> | null = null;
  #contracts: Promise<Outcome<Listing<WireContract>>> | null = null;
  #spotAccount: Promise<Outcome<SpotAccount>> | null = null;
  #marginAccounts: Promise<Outcome<Listing<MarginAccount>>> | null = null;

  constructor({ market, origin, dialect, symbols, records, probe }: CheckContextDeps) {
    this.market = market;
    this.origin = origin;
    this.dialect = dialect;
    this.signQuery = dialect.signQuery;
    this.symbols = symbols;
    this.records = records;
    this.probe = probe;
  }

  /** Returns the reply with the spot account. It is read once for all checks. */
  spotAccount(): Promise<Outcome<SpotAccount>> {
    return (this.#spotAccount ??= this.probe.call('spot.account', {}));
  }

  /** Returns the reply with the futures account. It is read once for all checks. */
  marginAccounts(): Promise<Outcome<Listing<MarginAccount>>> {
    return (this.#marginAccounts ??= this.probe.call('futures.account', {}));
  }

  /** Returns the signed read that checks key, address and signature. */
  account(): Promise<Outcome<SpotAccount | Listing<MarginAccount>>> {
    return this.market === 'spot' ? this.spotAccount() : this.marginAccounts();
  }

  /** Returns the reply with the list of instruments. */
  listing(): Promise<Outcome<Listing<SpotSymbol> | Listing<WireContract>>> {
    return this.market === 'spot' ? this.#spotListing() : this.#futuresListing();
  }

  /** Returns the listed instruments by symbol; empty if the service did not reply. */
  async listed(): Promise<ReadonlyMap<string, ListedInstrument>> {
    const rows =
      this.market === 'spot'
        ? rowsOf(await this.#spotListing()).map(listedSymbol)
        : rowsOf(await this.#futuresListing()).map(listedContract);
    return new Map(rows.map((instrument) => [instrument.symbol, instrument]));
  }

  /** Returns the symbols to check: those of the user, else those of the catalog. */
  requestedSymbols(): readonly string[] {
    return this.symbols.length > 0 ? this.symbols : this.records.symbols(this.market);
  }

  /** Returns a symbol for example requests: the first requested one that is listed, else a usual one, else the first tradable one. */
  async example(): Promise<string> {
    const listed = await this.listed();
    const tradable = [...listed.values()].find(({ isTradable }) => isTradable);
    const chosenSymbol = [...this.requestedSymbols(), DEFAULT_SYMBOLS[this.market]].find((symbol) => listed.has(symbol));
    return chosenSymbol ?? tradable?.symbol ?? this.requestedSymbols()[0] ?? DEFAULT_SYMBOLS[this.market];
  }

  #spotListing(): Promise<Outcome<Listing<SpotSymbol>>> {
    return (this.#symbols ??= this.probe.call('spot.symbols', {}));
  }

  #futuresListing(): Promise<Outcome<Listing<WireContract>>> {
    return (this.#contracts ??= this.probe.call('futures.contracts', {}));
  }
}

const rowsOf = <T>(outcome: Outcome<Listing<T>>): readonly T[] => (outcome.kind === 'acked' ? outcome.value.rows : []);
