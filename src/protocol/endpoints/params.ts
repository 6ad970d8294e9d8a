// Describes the parameters and rate limits that several endpoints share.

import type { ChoiceParam, DecimalParam, IdParam, IntegerParam, IntervalParam, Need, RateLimit, TextParam, TimeParam } from './endpoint.ts';
import type { Market } from '../../model/instrument.ts';

/** The need of a parameter as a literal type, from which the type of the arguments follows. */
export interface ParamNeed<N extends Need> {
  readonly need: N;
}

/** Returns a text parameter. */
export const textParam = <const N extends Need>(of: TextParam['of'], need: N, help: string): TextParam & ParamNeed<N> => ({
  kind: 'text',
  of,
  need,
  help,
});

/** Returns the parameter for a spot symbol. */
export const symbolParam = <const N extends Need>(need: N) => textParam('symbol', need, 'instrument, for example BTCUSDT');
/** Returns the parameter for the name of a contract. */
export const contractNameParam = <const N extends Need>(need: N) => textParam('contractName', need, 'contract, for example E-BTC-USDT');
/** Returns the parameter for a client order id. */
export const clientOrderIdParam = <const N extends Need>(need: N) =>
  textParam('clientId', need, 'your own id: at most 31 of A-Z a-z 0-9 _ -');

/** Returns a parameter with a fixed list of values. */
export const choiceParam = <const V extends readonly (string | number)[], const N extends Need>(
  values: V,
  need: N,
  help: string,
): ChoiceParam & ParamNeed<N> & { readonly values: V } => ({ kind: 'choice', values, need, help });
/** The side of an order. */
export const sideParam = choiceParam(['BUY', 'SELL'], 'required', 'direction');
/** The type of an order: with a limit price or without. */
export const orderTypeParam = choiceParam(['LIMIT', 'MARKET'], 'required', 'type of the order');
/** Returns the parameter that says whether a futures order opens or closes a position. */
export const openCloseParam = <const N extends Need>(need: N) => choiceParam(['OPEN', 'CLOSE'], need, 'opens or closes a position');
/** The margin mode of a futures order. */
export const positionTypeParam = choiceParam([1, 2], 'optional', '1 cross, 2 isolated');

/** Options of an integer parameter. */
interface IntegerOptions<N extends Need> extends ParamNeed<N> {
  readonly help: string;
  readonly unit?: string;
  readonly wire?: 'string';
  readonly min?: number;
  readonly max: number;
}
/** Returns an integer parameter. */
export const integerParam = <const N extends Need>({
  need,
  help,
  unit = '',
  wire,
  min = 1,
  max,
}: IntegerOptions<N>): IntegerParam & ParamNeed<N> => ({
  kind: 'integer',
  wire: wire ?? 'number',
  min,
  max,
  need,
  help,
  unit,
});

/** The parameter for the maximum number of rows, newest first. `defaultRows`: its default. */
export const limitParam = <const N extends Need>(
  need: N,
  defaultRows: number,
  max: number,
  wire: 'number' | 'string' = 'number',
): IntegerParam & ParamNeed<N> & { readonly default: number } => ({
  ...integerParam({ need, max, help: 'rows at most, newest first', unit: 'rows' }),
  wire,
  default: defaultRows,
});

/** Returns a decimal parameter. `wire`: its JSON type in a body. */
export const decimalParam = <const N extends Need>(
  need: N,
  help: string,
  unit: string,
  wire: 'number' | 'string' = 'number',
): DecimalParam & ParamNeed<N> => ({ kind: 'decimal', wire, need, help, unit });
/** The unit of prices and amounts, for help texts. */
export const QUOTE = 'quote asset';

/** The price, which only LIMIT orders have. `typeParam`: the parameter with the type of the order. */
export const limitPriceParam = (typeParam: 'type' | 'batchType') =>
  ({ ...decimalParam('optional', 'limit price', QUOTE), onlyWith: { name: typeParam, is: 'LIMIT' } }) as const;

/** Returns the parameter for a venue order id. */
export const orderIdParam = <const N extends Need>(
  need: N,
  wire: 'number' | 'string' = 'string',
  help = 'the order',
): IdParam & ParamNeed<N> => ({
  kind: 'id',
  wire,
  need,
  help,
});
/** The first trade id of a list. */
export const fromIdParam = { kind: 'id', wire: 'number', need: 'optional', help: 'the id to start from' } as const satisfies IdParam;
/** The interval of klines. */
export const intervalParam = { kind: 'interval', need: 'required', help: 'length of a bar' } as const satisfies IntervalParam;

/** A time parameter, which only some services accept. It is not in the specification, and is sent only if the dialect says so. */
const klineTimeParam = (help: string) => ({ kind: 'time', need: 'optional', help, unit: 'ms UTC' }) as const satisfies TimeParam;
/** The first open time of klines. */
export const startTimeParam = klineTimeParam('first bar; only where the dialect has klinesRange: startEnd');
/** The last open time of klines. */
export const endTimeParam = klineTimeParam('last bar; only where the dialect has klinesRange: startEnd');

const WINDOW_MS = 2000;

/** Rate limits of the specification, part 8: per key and two seconds. */
export const perKeyLimit = (op: string, count: number, source: RateLimit['source'] = 'spec'): RateLimit => ({
  rateClass: op,
  scope: 'key',
  count,
  windowMs: WINDOW_MS,
  weight: 1,
  source,
});

/**
 * The rate limit of public data, for which none is published. It is a cautious guess from the limits of private calls, and all public calls
 * of a market share it.
 */
export const publicLimit = (market: Market): RateLimit => ({
  rateClass: `${market}.public`,
  scope: 'ip',
  count: 20,
  windowMs: WINDOW_MS,
  weight: 1,
  source: 'assumed',
});

/** The rate limit of signed futures calls: 20 in two seconds each, as several services document (exchange dialect, row 40). */
export const futuresLimit = (op: string): RateLimit => perKeyLimit(op, 20, 'dialect');
