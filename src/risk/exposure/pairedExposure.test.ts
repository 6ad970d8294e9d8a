// Tests the exposure rules over an account of both markets.

import { expect, test } from 'vitest';
import { linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { PlainOrder, spotInstrument, type DraftTerms } from '../../../test/fixtures/drafts.ts';
import { Reservations } from '../../orders/reserve/reservation.ts';
import { PairedLedger } from '../../portfolio/pairedLedger.ts';
import type { RiskLimits } from '../limits/limits.ts';
import { RiskModule } from '../riskModule.ts';

const MARK_TICKS = 1000;
const CONTRACT = linearContract();
const COIN = spotInstrument('ETH', { quote: CONTRACT.quote, quoteDigits: CONTRACT.quoteDigits });
const INSTRUMENTS = [CONTRACT, COIN];
const CASH = 10_000_000;

/** Returns an account of a contract (index 0) and a coin (index 1), each with the same cash, with all marks equal. */
function pairedRisk(limits: RiskLimits) {
  const ledger = new PairedLedger(INSTRUMENTS, 1, () => ({ leverage: 10, isCross: true, isNet: true }));
  for (const market of ['spot', 'futures'] as const) ledger.ledgerOfMarket(market).deposit(0, ledger.cashAsset, CASH);
  const terms = { collarPpm: 0, takerFeePpm: [0, 0], feesIn: 'quote', leverage: [10, 0] } as const;
  const reservations = new Reservations(INSTRUMENTS, 1, terms);
  const risk = new RiskModule({ ledger, reservations, limits });
  risk.attach({ lastTicks: () => MARK_TICKS });
  const send = (orderTerms: DraftTerms): PlainOrder | null => risk.check(new PlainOrder(INSTRUMENTS, orderTerms), 1.7e12, MARK_TICKS);
  return { ledger, reservations, risk, send };
}

test('an open spot buy does not change the free margin that a denial by the margin buffer names', () => {
  const denialTexts = [false, true].map((hasSpotBuy) => {
    const { risk, send } = pairedRisk({ marginBuffer: '0.99' });
    if (hasSpotBuy) expect(send({ instrumentIndex: 1, lots: 5, limit: MARK_TICKS })).not.toBe(null);
    expect(send({ instrumentIndex: 0, lots: 6000, limit: MARK_TICKS })).toBe(null);
    expect(risk.code).toBe('MARGIN_BUFFER');
    return risk.detail();
  });
  expect(denialTexts[1]).toBe(denialTexts[0]);
});

test('the limit of the account applies to the sum of the worst cases of both markets, in any sequence of the orders', () => {
  const unitsOf = (index: number, lots: number) => {
    const { reservations } = pairedRisk({});
    return reservations.scale(index).notionalUp(MARK_TICKS, lots);
  };
  const contractUnits = unitsOf(0, 30);
  const coinUnits = unitsOf(1, 5);
  const limitText = (units: number) => (units / 10 ** CONTRACT.quoteDigits).toFixed(CONTRACT.quoteDigits);
  for (const sequence of [
    [0, 1],
    [1, 0],
  ] as const) {
    const sizes = [{ instrumentIndex: 0, lots: 30, limit: MARK_TICKS }, { instrumentIndex: 1, lots: 5, limit: MARK_TICKS }]; // prettier-ignore
    const bothUnits = contractUnits + coinUnits;
    const withinLimit = pairedRisk({ maxGrossNotional: limitText(bothUnits) });
    expect(sequence.map((instrumentIndex) => withinLimit.send(sizes[instrumentIndex]!) !== null)).toEqual([true, true]);
    const beyondLimit = pairedRisk({ maxGrossNotional: limitText(bothUnits - 1) });
    expect(sequence.map((instrumentIndex) => beyondLimit.send(sizes[instrumentIndex]!) !== null)).toEqual([true, false]);
    expect(beyondLimit.risk.detail()).toContain('over both markets at the worst');
  }
});
