// Computes the figures of quantstats that treat each day as a trade.

import { ours, sound, type FigureDefinition, type Guard } from '../figures/figure.ts';
import { longestRun, numpyQuantile, pandasMean, valuesWhere } from '../statistics/moments.ts';
import { rangeOf } from '../statistics/orderedArithmetic.ts';
import { quantstatsMeasures } from './quantstatsMeasures.ts';

const { winRate, profitFactor, profitRatio } = quantstatsMeasures;

const isGain = (dayReturn: number) => dayReturn > 0;
const isLoss = (dayReturn: number) => dayReturn < 0;
/** Conditions under which a figure is undefined, each with its reason. */
const tooFewReturns = (values: Float64Array): Guard => [values.length < 2, 'too-few-returns'];
const withoutLosses = (values: Float64Array): Guard => [!values.some(isLoss), 'no-losses'];
const withoutGains = (values: Float64Array): Guard => [!values.some(isGain), 'no-wins'];

/** How the figures of this file differ from the figures of trades of isobar. */
const OF_TRADES = 'of days of return; isobar: of closed trades';

/** Returns the figures in the order of quantstats' own table. In `formula`, r stands for the daily returns and n for their number. */
export function quantstatsDayFigures(returns: Float64Array): FigureDefinition[] {
  const meanGain = pandasMean(valuesWhere(returns, isGain));
  const meanLoss = pandasMean(valuesWhere(returns, isLoss));
  const payoff = meanGain / Math.abs(meanLoss);
  const wonShare = winRate(returns);
  const factorOfProfit = profitFactor(returns);
  const quantile95 = numpyQuantile(returns, 0.95);
  const quantile5 = numpyQuantile(returns, 1 - 0.95);
  const tailRatio = quantile5 === 0 ? NaN : Math.abs(quantile95 / quantile5);
  const kelly = payoff === 0 || Number.isNaN(payoff) ? NaN : (payoff * wonShare - (1 - wonShare)) / payoff;
  return [
    {
      name: 'win_rate',
      unit: '',
      original: wonShare,
      own: ours('trades.winRate'),
      formula: 'days r > 0 / days r != 0',
      differs: OF_TRADES,
    },
    {
      name: 'profit_factor',
      unit: '',
      original: factorOfProfit,
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
      original: profitRatio(returns),
      own: { value: 'not-sound' },
      formula: '(mean(r >= 0) / days r >= 0) / (abs(mean(r < 0)) / days r < 0)',
      differs: 'a mean divided by a count once more measures nothing; isobar: trades.payoff and trades.winRate',
    },
    {
      name: 'avg_win',
      unit: '',
      original: meanGain,
      own: sound(meanGain, withoutGains(returns)),
      formula: 'mean(r > 0)',
      differs: 'isobar has no such figure of days',
    },
    {
      name: 'avg_loss',
      unit: '',
      original: meanLoss,
      own: sound(meanLoss, withoutLosses(returns)),
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
      original: ((1 - wonShare) / (1 + wonShare)) ** returns.length,
      own: { value: 'not-sound' },
      formula: '((1 - win_rate) / (1 + win_rate))^n',
      differs: 'ignores the size of gains and losses and is about 0 for any long run; isobar does not print it',
    },
    {
      name: 'common_sense_ratio',
      unit: '',
      original: factorOfProfit * tailRatio,
      own: sound(factorOfProfit * tailRatio, tooFewReturns(returns), withoutLosses(returns)),
      formula: 'profit_factor tail_ratio',
      differs: 'isobar has no such figure',
    },
    {
      name: 'cpc_index',
      unit: '',
      original: factorOfProfit * wonShare * payoff,
      own: sound(factorOfProfit * wonShare * payoff, withoutLosses(returns), withoutGains(returns)),
      formula: 'profit_factor win_rate payoff_ratio',
      differs: 'isobar has no such figure',
    },
    { name: 'best', unit: '', original: rangeOf(returns).max, own: ours('metrics.bestDay'), formula: 'max(r)', differs: '' },
    { name: 'worst', unit: '', original: rangeOf(returns).min, own: ours('metrics.worstDay'), formula: 'min(r)', differs: '' },
    {
      name: 'consecutive_wins',
      unit: '',
      original: longestRun(returns, isGain),
      own: ours('trades.maxConsecutiveWins'),
      formula: 'longest run of days r > 0',
      differs: OF_TRADES,
    },
    {
      name: 'consecutive_losses',
      unit: '',
      original: longestRun(returns, isLoss),
      own: ours('trades.maxConsecutiveLosses'),
      formula: 'longest run of days r < 0',
      differs: OF_TRADES,
    },
  ];
}
