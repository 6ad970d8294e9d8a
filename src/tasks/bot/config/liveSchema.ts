// The schema of a bot config: the keys of a run definition that a bot shares, and where and how the bot trades.

import { z } from 'zod';
import { accessSchema } from '../../../access/config.ts';
import { definitionSchema } from '../../../definition/text/schema.ts';
import { intervalValue, mapValue, textValue, integerValue } from '../../../definition/text/values.ts';
import { liveSeriesSchema, webhooksSchema } from '../external/seriesSources.ts';
import { alertsSchema } from './notifiers.ts';

const ms = (help: string, min: number, max: number) => integerValue('ms', help, min, max).optional();

const {
  name,
  strategy,
  params,
  feeds,
  market,
  futures,
  decide,
  cash,
  convert,
  size,
  fees,
  fills,
  risk,
  models,
  modules,
  seed,
  catalog,
  instruments,
} = definitionSchema.shape;
const { keyFile, secretFile, socketUrl, dialect } = accessSchema.shape;

const noModel = (model: string, values: string) => ({
  error: `no ${model} model here (${values} of a bot come from the exchange; leave it out)`,
});
const ownModels = mapValue(
  {
    slippage: z.never(noModel('slippage', 'fill prices')).optional(),
    fees: z.never(noModel('fee', 'fees')).optional(),
    risk: models.unwrap().shape.risk,
  },
  'files with risk rules, such as { risk: [models/weekdays.ts] }',
).describe('risk rules of your own, loaded like strategies');

const DAY_MS = 86_400_000;
const url = (service: string) => textValue('a URL such as http://127.0.0.1:8080', `address of the ${service} service`).optional();

const exchange = mapValue(
  {
    spotUrl: url('spot'),
    futuresUrl: url('futures'),
    keyFile,
    secretFile,
    socketUrl,
    dialect,
    access: textValue('the path of a file', 'an access file in place of keyFile, secretFile and dialect').optional(),
  },
  'the exchange, such as { spotUrl: http://127.0.0.1:8080, keyFile: key, secretFile: secret }',
).describe('address of the exchange, and the key for it');

const orders = mapValue(
  {
    backdateMs: ms('how far back creates are signed', 0, 4000),
    createTimeoutMs: ms('time limit for the reply to a create', 1000, 60_000),
    readLagMs: ms('how old a list may be when it is read', 1000, 600_000),
    cancelRetryMs: ms('first pause before a cancel is sent again', 500, 60_000),
    deltaMinMs: ms('shortest assumed time from admission to visibility', 10_000, DAY_MS),
    resolveEveryMs: ms('period of reads about an unknown outcome', 500, 60_000),
    humanAfterMs: ms('time beyond the absence horizon after which the operator must decide', 60_000, DAY_MS),
    onStop: z.enum(['leave', 'cancel'], { error: 'one of leave, cancel' }).describe('working orders when the bot is stopped').optional(),
  },
  'times of the order path, such as { readLagMs: 3000 }',
).describe('times of the order path; each has a default');

const audit = mapValue(
  {
    fastMs: ms('period of the fast audit', 1000, 60_000),
    balanceMs: ms('how often a fast audit reads balances or positions', 1000, 600_000),
    fullMs: ms('period of the full audit, of everything ever traded', 30_000, DAY_MS),
  },
  'periods of audits, such as { fastMs: 3000 }',
).describe('how often orders, trades and balances are compared with the exchange');

const clock = mapValue(
  {
    samples: integerValue('questions', 'requests for one measurement of the clock', 5, 25).optional(),
    maxUncertaintyMs: ms('no order is signed while the clock is less certain', 10, 400),
    periodMs: ms('time between two measurements', 10_000, DAY_MS),
  },
  'the clock, such as { samples: 5 }',
).describe("how the exchange's clock is measured");

const bars = mapValue(
  {
    graceMs: ms('time after its close until strategies decide without a bar', 500, 60_000),
    delayMs: ms('time from the close of a bar to the first call for it', 0, 60_000),
    spreadMs: ms('largest random delay of the first call', 0, 60_000),
  },
  'how bars are fetched, such as { graceMs: 5000 }',
).describe('how closed bars are fetched');

const hours = [1, 2, 3, 4, 6, 8, 12, 24] as const;
const funding = mapValue(
  {
    everyHours: z
      .literal(hours, { error: `one of ${hours.join(', ')}` })
      .describe('hours from one funding time to the next, counted from 00:00 UTC; default 8')
      .optional(),
  },
  'the times of funding, such as { everyHours: 8 }',
).describe('when contracts are charged funding, which the exchange does not report');

const executionInterval = intervalValue('finer bars in which stops are checked; strategies do not see them', ['off']).optional();
const onWindowStart = z
  .enum(['keep', 'cancel'], { error: 'one of keep, cancel' })
  .describe('working orders that would open: kept (default), or cancelled at the start')
  .optional();
const maintenance = z
  .array(
    z.union(
      [
        z.strictObject({
          cron: textValue("a pattern such as '0 3 * * 0'", 'start of the window: minute, hour, day, month, weekday'),
          minutes: z.int().min(1).max(10_080).describe('length of the window'),
          timeZone: textValue('a zone such as Europe/Berlin', 'time zone of the pattern; UTC by default').optional(),
          orders: onWindowStart,
        }),
        z.strictObject({
          from: textValue("a UTC time such as '2026-12-01 03:00'", 'start of the window'),
          to: textValue("a UTC time such as '2026-12-01 04:00'", 'end of the window'),
          orders: onWindowStart,
        }),
      ],
      { error: "a window, such as { cron: '0 3 * * 0', minutes: 30 } or { from: '2026-12-01 03:00', to: '2026-12-01 04:00' }" },
    ),
    { error: 'a list of windows' },
  )
  .max(50, { error: 'at most 50 windows' })
  .describe('windows in which the bot takes no new risk');

/** The schema of a bot config. */
export const liveSchema = mapValue(
  {
    name,
    mode: z.enum(['paper', 'live'], { error: 'one of paper, live' }).describe('paper, or live: real money').optional(),
    exchange,
    data: textValue('the path of a folder', 'folder of the journal, the kill switch and the control socket').optional(),
    strategy,
    params,
    feeds,
    series: liveSeriesSchema.optional(),
    market,
    futures,
    decide,
    cash,
    convert,
    size,
    fees,
    fills: mapValue(
      {
        collar: fills.unwrap().shape.collar,
        inside: executionInterval,
        latencyMs: fills.unwrap().shape.latencyMs.describe('latency of the backtest of `isobar parity`; the bot has that of its exchange'),
      },
      "the collar of market orders and the bars that check stops, such as { collar: '0.01', inside: 1m }",
    ).optional(),
    risk,
    models: ownModels.optional(),
    modules,
    seed,
    catalog,
    instruments,
    orders: orders.optional(),
    audit: audit.optional(),
    clock: clock.optional(),
    bars: bars.optional(),
    maintenance: maintenance.optional(),
    funding: funding.optional(),
    webhooks: webhooksSchema.optional(),
    dashboard: mapValue(
      {
        port: integerValue('port', 'port of the dashboard on this computer; default 8090, 0 takes a free one', 0, 65_535).optional(),
      },
      'a dashboard, such as { port: 8090 }',
    )
      .describe('a page on this computer that shows the bot; without the key there is no page')
      .optional(),
    alerts: alertsSchema.optional(),
    timeScale: z
      .number({ error: 'a number from 1 to 1000' })
      .min(1, { error: 'a number from 1 to 1000' })
      .max(1000, { error: 'a number from 1 to 1000' })
      .describe('speed of the clock of the paper exchange; rejected in live mode')
      .optional(),
  },
  'a bot config: keys and values',
);

/** A parsed config, before defaults. */
export type LiveFile = z.output<typeof liveSchema>;

/** The keys that a bot config shares with a run definition. */
export const DEFINITION_KEYS = [
  'name',
  'strategy',
  'params',
  'feeds',
  'series',
  'market',
  'futures',
  'decide',
  'cash',
  'convert',
  'size',
  'fees',
  'fills',
  'risk',
  'models',
  'modules',
  'seed',
  'catalog',
  'instruments',
] as const;

/** Returns the JSON schema of a bot config, for editors. `config/bot.schema.json` holds this text. */
export function liveJsonSchema(): string {
  const schema = z.toJSONSchema(liveSchema, { io: 'input', target: 'draft-7' });
  return `${JSON.stringify({ title: 'isobar bot config', ...schema }, null, 2)}\n`;
}
