// Tests symbol, interval and market in file names, as exchanges, CryptoDataDownload and freqtrade choose them.

import { describe, expect, it } from 'vitest';
import { keyOf } from './fileNames.ts';

describe('the name', () => {
  it.each([
    ['BTCUSDT-1m.csv.gz', 'spot BTCUSDT 1m'],
    ['BTC-USDT-60min.csv', 'spot BTC-USDT 1h'],
    ['ETHBTC-1M', 'spot ETHBTC 1M'],
    ['BTCUSDT-5min-2024-01.csv', 'spot BTCUSDT 5m'],
    ['BTCUSDT-1day-2024-01-31.csv', 'spot BTCUSDT 1d'],
    ['BTCUSDT-1mo-2024-01.zip', 'spot BTCUSDT 1M'],
    ['1000PEPEUSDT-15m-2024-01.zip', 'spot 1000PEPEUSDT 15m'],
    ['BTC_USDT-5m.csv', 'spot BTC_USDT 5m'],
    ['BTC_USDT-5m.feather', 'spot BTCUSDT 5m'],
    ['FOO_BAR-5m.feather', 'spot FOO_BAR 5m'],
    ['BTC_USDT_USDT-4h-futures.feather', 'futures BTCUSDT 4h'],
    ['BTC_USDT_USDT-4h.json.gz', 'futures BTCUSDT 4h'],
    ['ETH_BTC-1w.json', 'spot ETHBTC 1w'],
    ['BTCUSDT-1h-old.csv.gz', 'spot BTCUSDT 1h'],
    ['BTCUSDT-1m-2024-01 (1).zip', 'spot BTCUSDT 1m'],
    ['BTCUSDT-1h-[1].csv', 'spot BTCUSDT 1h'],
    ['BTCUSDT-1h_part2.csv', 'spot BTCUSDT 1h'],
    ['BTC_USDT-4h-spot.feather', 'spot BTCUSDT 4h'],
    ['BTC_USDT_USDT-4h-futures-2024-01.feather', 'futures BTCUSDT 4h'],
    ['Binance_BTCUSDT_1h.csv', 'spot BTCUSDT 1h'],
    ['Binance_BTCUSDT_2023_minute.csv', 'spot BTCUSDT 1m'],
    ['Coinbase_ETHUSD_d.csv', 'spot ETHUSD 1d'],
    ['Gemini_BTCUSD_2020_1min.csv.gz', 'spot BTCUSD 1m'],
    ['E-BTC-USDT-1min.json', 'spot E-BTC-USDT 1m'],
  ])('the name: %s', (name, expected) => {
    for (const folder of ['', '/x-y-1h/', '../']) {
      const { market, symbol, interval } = keyOf(folder + name, {});
      expect(`${market} ${symbol} ${interval}`).toBe(expected);
    }
  });

  it('an option overrides the name', () => {
    expect(keyOf('BTC_USDT_USDT-4h-futures.feather', { symbol: 'E-BTC-USDT', interval: '1h', market: 'spot' })).toEqual({
      market: 'spot',
      symbol: 'E-BTC-USDT',
      interval: '1h',
    });
    expect(keyOf('bars.csv', { symbol: 'A', interval: '1m' })).toEqual({ market: 'spot', symbol: 'A', interval: '1m' });
    expect(keyOf('BTCUSDT-1m.zip', { market: 'futures' }).market).toBe('futures');
  });

  it.each<[string, Parameters<typeof keyOf>[1], string]>([
    ['bars.csv', {}, 'bars.csv: the name does not say the interval'],
    ['BTCUSDT-7s.csv', {}, 'does not say the interval'],
    ['bars.csv', { interval: '1m' }, 'the name does not say the symbol'],
    ['btcusdt-1m.csv', {}, 'btcusdt-1m.csv: symbol: expected capital letters'],
    ['x.csv', { symbol: '../X', interval: '1m' }, 'expected capital letters'],
    ['BTC_USDT_USDT-8h-funding_rate.feather', {}, 'by its name, funding rate: no bars of trades'],
    ['BTC_USDT_USDT-1h-mark.feather', {}, 'by its name, mark: no bars of trades'],
  ])('the name: %s with %j is refused', (name, given, message) => expect(() => keyOf(name, given)).toThrow(message));
});
