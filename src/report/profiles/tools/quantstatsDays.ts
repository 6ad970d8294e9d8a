// Computes the figures of quantstats that treat each day as a trade.

import { ours, sound, type FigureDefinition, type Guard } from '../figures/figure.ts';
import { longestRun, numpyQuantile, pandasMean, valuesWhere } from '../statistics/moments.ts';
import { rangeOf } from '../statistics/orderedArithmetic.ts';
import { quantstatsMeasures } from './quantstatsMeasures.ts';

const { winRate, profitFactor, profitRatio } = quantstatsMeasures;

const isGain = (value: number) => value > 0;
const isLoss = (value: number) => value < 0;
const few = (values: Float64Array): Guard => [values.length < 2, 'too-few-returns'];
const noLoss = (values: Float64Array): Guard => [!values.some(isLoss), 'no-losses'];
const noGain = (values: Float64Array): Guard => [!values.some(isGain), 'no-wins'];

/** Returns the figures in the order of quantstats' own table. */
export function quantstatsDayFigures(r: Float64Array): FigureDefinition[] {
  const gain = pandasMean(valuesWhere(r, isGain));
  const loss = pandasMean(valuesWhere(r, isLoss));
  const payoff = gain / Math.abs(loss);
  const won = winRate(r);
  const factor = profitFactor(r);
  const high = numpyQuantile(r, 0.95);
  const low = numpyQuantile(r, 1 - 0.95);
  const tail = low === 0 ? NaN : Math.abs(high / low);
  const kelly = payoff === 0 || Number.isNaN(payoff) ? NaN : (payoff * won - (1 - won)) / payoff;
  const OF_TRADES = 'of days of return; isobar: of closed trades';
  return [
    { name: 'win_rate', unit: '', original: won, own: ours('trades.winRate'), formula: 'days r > 0 / days r != 0', differs: OF_TRADES },
    {
      name: 'profit_factor',
      unit: '',
      original: factor,
      own: ours('trades.profitFactor'),
      formula: 'sum(r >= 0) / abs(sum(r < 0)); 0 without a gain or loss, inf without a loss',
      differs: OF_TRADES,
    },
    {
      name: 'payoff_ratio',
      unit: '',
      original: payoff,
      own: ours('trades.payoff'),
      formula: 'mean(r > 0) / abs(mean(r < 0))',
      differs: OF_TRADES,
    },
    {
      name: 'profit_ratio',
      unit: '',
      original: profitRatio(r),
      own: { value: 'not-sound' },
      formula: '(mean(r >= 0) / days r >= 0) / (abs(mean(r < 0)) / days r < 0)',
      differs: 'a mean divided by a count once more measures nothing; isobar: trades.payoff and trades.winRate',
    },
    {
      name: 'avg_win',
      unit: '',
      original: gain,
      own: sound(gain, noGain(r)),
      formula: 'mean(r > 0)',
      differs: 'isobar has no such figure of days',
    },
    {
      name: 'avg_loss',
      unit: '',
      original: loss,
      own: sound(loss, noLoss(r)),
      formula: 'mean(r < 0)',
      differs: 'isobar has no such figure of days',
    },
    {
      name: 'kelly_criterion',
      unit: '',
      original: kelly,
      own: ours('trades.kelly'),
      formula: '(payoff_ratio win_rate - (1 - win_rate)) / payoff_ratio',
      differs: OF_TRADES,
    },
    {
      name: 'risk_of_ruin',
      unit: '',
      original: ((1 - won) / (1 + won)) ** r.length,
      own: { value: 'not-sound' },
      formula: '((1 - win_rate) / (1 + win_rate))^n',
      differs: 'ignores the size of gains and losses and is about 0 for any long run; isobar does not print it',
    },
    {
      name: 'common_sense_ratio',
      unit: '',
      original: factor * tail,
      own: sound(factor * tail, few(r), noLoss(r)),
      formula: 'profit_factor tail_ratio',
      differs: 'isobar has no such figure',
    },
    {
      name: 'cpc_index',
      unit: '',
      original: factor * won * payoff,
      own: sound(factor * won * payoff, noLoss(r), noGain(r)),
      formula: 'profit_factor win_rate payoff_ratio',
      differs: 'isobar has no such figure',
    },
    { name: 'best', unit: '', original: rangeOf(r).max, own: ours('metrics.bestDay'), formula: 'max(r)', differs: '' },
    { name: 'worst', unit: '', original: rangeOf(r).min, own: ours('metrics.worstDay'), formula: 'min(r)', differs: '' },
    {
      name: 'consecutive_wins',
      unit: '',
      original: longestRun(r, isGain),
      own: ours('trades.maxConsecutiveWins'),
      formula: 'longest run of days r > 0',
      differs: OF_TRADES,
    },
    {
      name: 'consecutive_losses',
      unit: '',
      original: longestRun(r, isLoss),
      own: ours('trades.maxConsecutiveLosses'),
      formula: 'longest run of days r < 0',
      differs: OF_TRADES,
    },
  ];
}
