// Checks with a test order whether the key may trade. The service validates the order and never places it. The doctor sends no other order.

import { Decimal } from '../../../base/number/decimal.ts';
import { ok, doubtful, type CheckFinding } from '../context/check.ts';
import type { CheckContext } from '../context/checkContext.ts';
import { errorCodeOf } from '../../../protocol/outcome.ts';
import { answerProblem } from '../fixes/answerFix.ts';
import { codeFamily, type CodeFamily } from '../fixes/codeFamilies.ts';
import type { ListedInstrument } from '../../download/listedInstruments.ts';

/** Refusals that concern only the order itself, so that key, signature and permission were accepted. */
const REFUSED_AFTER_KEY: ReadonlySet<CodeFamily | null> = new Set(['size', 'price', 'account']);

/** Sends the smallest valid test order at the last price. */
export async function checkTestOrder(context: CheckContext): Promise<CheckFinding> {
  const symbol = await context.example();
  const ticker = await context.probe.call('spot.ticker', { symbol });
  if (ticker.kind !== 'acked') return answerProblem(ticker, { kind: 'public', market: 'spot', subjectText: `the last price of ${symbol}` });
  const listed = (await context.listed()).get(symbol);
  const price = priceOf(ticker.value.last, listed);
  const volume = volumeOf(price, await minimumsOf(context, symbol), listed);
  const orderText = `LIMIT BUY ${volume} ${symbol} at ${price}`;
  const outcome = await context.probe.call('spot.testNewOrder', { symbol, side: 'BUY', type: 'LIMIT', price, volume });
  if (outcome.kind === 'acked') return ok(`the key may trade: ${orderText} was checked, not placed`);
  const problem = answerProblem(outcome, { kind: 'order', market: 'spot', subjectText: orderText });
  const code = errorCodeOf(outcome);
  if (code === null || !REFUSED_AFTER_KEY.has(codeFamily(code)))
    return { ...problem, more: [`test order: ${orderText}; nothing was placed`] };
  return doubtful(`the key may trade; ${orderText}: ${problem.detail}`, problem.fix ?? [], {
    code,
    serviceText: problem.serviceText ?? null,
  });
}

/** Returns the last price in whole ticks, above 0. */
function priceOf(lastPrice: string, listed: ListedInstrument | undefined): string {
  const digits = listed?.priceDigits ?? new Decimal(lastPrice).decimalPlaces();
  const step = Decimal.pow(10, -digits);
  return Decimal.max(step, new Decimal(lastPrice).toDecimalPlaces(digits, Decimal.ROUND_DOWN)).toFixed(digits);
}

/** The smallest order of a symbol. */
interface Minimums {
  readonly quantity: Decimal;
  /** In the quote asset. */
  readonly amount: Decimal;
}

/** Returns the minimums that the service lists, else those of the catalog's record. */
async function minimumsOf(context: CheckContext, symbol: string): Promise<Minimums> {
  const outcome = await context.listing();
  const rows = outcome.kind === 'acked' ? outcome.value.rows : [];
  const row = rows.find((candidate) => candidate.symbol === symbol);
  const spotRow = row !== undefined && 'quoteAsset' in row ? row : null;
  const record = context.records.record('spot', symbol);
  const minOfRecord = record === null ? null : new Decimal(record.minLots).div(Decimal.pow(10, record.quantityDigits));
  return {
    quantity: decimalOrNull(spotRow?.limitVolumeMin) ?? minOfRecord ?? new Decimal(0),
    amount: decimalOrNull(spotRow?.limitAmountMin) ?? new Decimal(0),
  };
}

/** Returns a decimal of the wire, or null when it is missing. */
const decimalOrNull = (text: string | null | undefined): Decimal | null => (text === null || text === undefined ? null : new Decimal(text));

/** Returns the smallest volume that the service may accept, in whole lots. */
function volumeOf(price: string, { quantity, amount }: Minimums, listed: ListedInstrument | undefined): string {
  const digits = listed?.quantityDigits ?? 0;
  const min = Decimal.max(Decimal.pow(10, -digits), quantity, amount.div(price));
  return min.toDecimalPlaces(digits, Decimal.ROUND_UP).toFixed(digits);
}
