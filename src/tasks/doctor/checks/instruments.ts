// Checks that the service lists the requested instruments, and that the records of the catalog agree.

import { shortList } from '../../../base/text/shortList.ts';
import { nearestName } from '../../../base/number/nearestName.ts';
import { timeMs } from '../../../base/brand.ts';
import { counted } from '../../../base/text/format.ts';
import { wireInterval } from '../../../protocol/dialect.ts';
import { changedFields, instrumentRecordOf } from '../../download/listedInstruments.ts';
import { failed, ok, skipped, doubtful, type CheckFinding } from '../context/check.ts';
import type { CheckContext } from '../context/checkContext.ts';
import { answerProblem } from '../fixes/answerFix.ts';

/** Maximum number of symbols in hints and details. */
const MAX_SHOWN = 5;
/** Fields of a record without which orders are refused or have the wrong size. */
const VITAL_FIELDS = /^(pricePrecision|quantityPrecision|minQuantity|base|quote|contract\.(kind|multiplier)) /;

/** Checks that the requested symbols are listed and open for trading. */
export async function checkSymbols(context: CheckContext): Promise<CheckFinding> {
  const { market } = context;
  const outcome = await context.listing();
  const noun = market === 'spot' ? 'symbol' : 'contract';
  if (outcome.kind !== 'acked') return answerProblem(outcome, { kind: 'public', market, subjectText: `the list of ${noun}s` });
  const listed = await context.listed();
  const requested = context.requestedSymbols();
  const { refused } = outcome.value;
  if (listed.size === 0)
    return failed(`the service lists no ${noun}`, ['nothing can be traded there: it may be a test system that was not set up']);
  const missing = requested.filter((symbol) => !listed.has(symbol));
  if (missing.length > 0) return notListedFinding(context, missing, [...listed.keys()]);
  const closed = requested.filter((symbol) => listed.get(symbol)?.isTradable === false);
  const requestedText = requested.length === 0 ? '' : `, ${shortList(requested)} among them`;
  const detail = `${counted(listed.size, noun)}${requestedText}`;
  if (closed.length > 0) return doubtful(detail, [`${shortList(closed)}: listed but closed for trading, so orders would be refused`]);
  if (refused.length > 0) {
    const refusedNames = refused.map(({ instrument }) => instrument ?? 'a row without a name');
    const fix = 'symbols that are not understood cannot be traded: please report them with a support bundle (--bundle)';
    return doubtful(detail, [fix], { more: [`not understood and left out: ${shortList(refusedNames)}`] });
  }
  return requested.length > 0 ? ok(detail) : ok(detail, { more: ['name the symbols that you will trade with --symbol'] });
}

/** Returns the finding for symbols that are not listed. */
function notListedFinding({ market, symbols, records }: CheckContext, missing: readonly string[], listed: readonly string[]): CheckFinding {
  const listCommand = `isobar api ${market === 'spot' ? 'spot.symbols' : 'futures.contracts'}`;
  const hints = missing.slice(0, MAX_SHOWN).map((symbol) => {
    const nearest = nearestName(symbol, listed);
    return nearest === null ? `${symbol}: ${listCommand} lists all of them` : `${symbol}: did you mean ${nearest}?`;
  });
  const detail = `not listed: ${shortList(missing)}`;
  if (symbols.length > 0) return failed(detail, hints);
  return doubtful(`${detail} (of ${records.folder}/)`, [
    'the catalog has bars of them, perhaps from another exchange: they cannot be traded here',
    ...hints,
  ]);
}

/** Compares the records of the catalog with the listing. */
export async function checkPrecision(context: CheckContext): Promise<CheckFinding> {
  const { market, records } = context;
  const listed = await context.listed();
  const requested = context.requestedSymbols();
  const comparisons = requested.flatMap((symbol) => {
    const listing = listed.get(symbol);
    const record = records.record(market, symbol);
    if (!listing || !record) return [];
    return [{ symbol, changes: changedFields(record, instrumentRecordOf(listing, record)) }];
  });
  if (comparisons.length === 0) {
    const missingText = requested.length === 0 ? `no ${market} instrument` : `no record of ${shortList(requested)}`;
    return skipped(`nothing to compare: ${records.folder}/ has ${missingText}`);
  }
  const changed = comparisons.filter(({ changes }) => changes.length > 0);
  if (changed.length === 0) return ok(`records of ${records.folder}/ agree: ${shortList(comparisons.map(({ symbol }) => symbol))}`);
  const details = changed.slice(0, MAX_SHOWN).map(({ symbol, changes }) => `${symbol}: ${changes.join(', ')}`);
  const names = changed.map(({ symbol }) => symbol);
  const fix = [`refresh them: isobar data instruments --market ${market} --symbol ${names.join(',')} --catalog ${records.folder}`];
  const detail = `records of ${records.folder}/ differ: ${shortList(names)}`;
  const isVital = changed.some(({ changes }) => changes.some((line) => VITAL_FIELDS.test(line)));
  return isVital
    ? failed(detail, ['orders would have another size or be refused (-1111, -1147)', ...fix], { more: details })
    : doubtful(detail, fix, { more: details });
}

const HOUR_MS = 3_600_000;
/** Age of the requested bars: older than the newest 300 hourly bars, which the service gives without a time range. */
const KLINE_AGE_MS = 1000 * HOUR_MS;
/** Number of requested bars. */
const KLINE_COUNT = 10;

/** Checks whether klines accept a time range, which the specification does not have. With one, older bars can be read. */
export async function checkKlinesRange(context: CheckContext): Promise<CheckFinding> {
  const { market, probe, dialect } = context;
  if (wireInterval(market, '1h', dialect) === null) return skipped('the service has no hourly bars to test with');
  const symbol = await context.example();
  const serviceMs = probe.wallMs() + (context.clock?.offsetMs ?? 0);
  const endMs = Math.floor((serviceMs - KLINE_AGE_MS) / HOUR_MS) * HOUR_MS;
  const times = { startTime: timeMs(endMs - KLINE_COUNT * HOUR_MS), endTime: timeMs(endMs) };
  const args = { interval: '1h', limit: KLINE_COUNT, ...times } as const;
  const outcome =
    market === 'spot'
      ? await probe.call('spot.klines', { symbol, ...args }, { klinesRange: 'startEnd' })
      : await probe.call('futures.klines', { contractName: symbol, ...args }, { klinesRange: 'startEnd' });
  const rows = outcome.kind === 'acked' ? outcome.value.rows : [];
  const isInRange = rows.length > 0 && rows.every(({ openMs }) => openMs >= times.startTime && openMs <= times.endTime);
  const { klinesRange } = dialect;
  if (isInRange) {
    const remedyText = klinesRange === 'startEnd' ? '' : ': dialect.klinesRange could be startEnd';
    return ok(`klines accept startTime and endTime${remedyText}`, { dialect: { klinesRange: 'startEnd' } });
  }
  if (klinesRange === 'none') return ok('klines accept no time range, as in the specification', { dialect: { klinesRange: 'none' } });
  return failed('klines accept no time range', ['set dialect.klinesRange to none in the access file: the times of bars would be wrong'], {
    dialect: { klinesRange: 'none' },
  });
}
