// One instrument as it is traded: its book, and the tape of its trades; spot and futures alike.

import type { Instrument } from '../../model/instrument.ts';
import type { Matcher } from '../matching/matcher.ts';
import type { Tape } from './tape.ts';

export interface TradedMarket {
  readonly instrument: Instrument;
  readonly matcher: Matcher;
  readonly tape: Tape;
  /** Ticks at which the rest of the world trades: the last point of the source of prices; 0: there is none. */
  outsidePrice: number;
}
