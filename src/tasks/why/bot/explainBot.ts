// Explains a bar or an order of a live bot: replays the journal up to that bar, as a restart does, and repeats every decision.

import { MeasuredAbsenceBounds } from '../../../orders/prove/absenceBounds.ts';
import { ConfigError } from '../../../base/errors.ts';
import { shellWord } from '../../../base/text/shellWord.ts';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { openJournalOfFolder } from '../../bot/decisions/replayFolder.ts';
import { planLifetime, type ReplayOptions } from '../../bot/decisions/replayJournal.ts';
import type { Lifetime } from '../../bot/lifetime/lifetime.ts';
import { replayLifetime } from '../../bot/lifetime/replayLifetime.ts';
import type { ExplainedEvent, ExplainedOrder, ExplainedStrategy, Explanation, Question } from '../model/explanation.ts';
import { BotWatch } from '../trace/botWatch.ts';
import { recordedBar } from './recordedBar.ts';

/** How a bot is explained. */
export interface ExplainBotOptions {
  /** Null: the config with which the bot was started. */
  readonly config: string | null;
  readonly load?: ReplayOptions['load'];
  readonly onLoaded?: (name: string, rows: number) => void;
}

/** With more feeds, only the values and conditions of the bar's symbol are shown. */
const MAX_SHOWN_FEEDS = 6;

/** Returns the explanation. Throws ConfigError like a replay, and for a bar or an order that the journal does not contain. */
export async function explainBot(folder: string, question: Question, { config, load, onLoaded }: ExplainBotOptions): Promise<Explanation> {
  const { records, behaviour, instruments } = openJournalOfFolder(folder, config);
  const { lifetime, plan } = await planLifetime(records, behaviour, { instruments, ...(load ? { load } : {}) });
  const { recorded } = lifetime;
  const feeds = plan.feeds.map(({ name, isExecutionOnly = false, bars }) => ({ name, isExecutionOnly, bars }));
  const { bar, from, to } = recordedBar(recorded.records, feeds, question);
  onLoaded?.(plan.name, recorded.records.length);
  const watch = new BotWatch();
  watch.isReplayed = true;
  // Set at the end of the bar.
  const explained: { strategies: readonly ExplainedStrategy[] } = { strategies: [] };
  const endBar = (): void => {
    watch.end();
    watch.onBlock();
    explained.strategies = watch.strategies(feeds.length > MAX_SHOWN_FEEDS ? bar.instrument : null);
  };
  const { replay } = await replayLifetime(lifetime, plan, {
    absenceBounds: new MeasuredAbsenceBounds(behaviour.proof),
    isTorn: false,
    stopsAtDifference: true,
    watcher: {
      hostFor: watch.hostFor,
      watchJournal: watch.watchJournal,
      onBuilt: (engine) => watch.attach(engine),
      onRecord(position) {
        watch.onBlock();
        if (position === from) watch.begin();
        if (position === to + 1) endBar();
        return position <= to || watch.orders.hasOpen;
      },
    },
  });
  checkSameDecisions(folder, replay.comparison.difference);
  // The journal may end with the bar.
  if (explained.strategies.length === 0) endBar();
  const orders = watch.orders.all().map((order) => withTradeIds(order, lifetime));
  const isAsked = ({ order }: ExplainedOrder): number => Number(order === question.order);
  const sortedOrders = orders.toSorted((a, b) => isAsked(b) - isAsked(a) || a.order - b.order);
  const venue = earlierOrderFills(recorded.records.slice(from, to + 1), lifetime, orders);
  const notes = ['the exchange matches the orders of a bot, and reports no matching rule'];
  return { source: 'bot', folder, name: plan.name, question, bar, strategies: explained.strategies, orders: sortedOrders, venue, notes };
}

/** Throws ConfigError if the repeated bot has decided differently. */
function checkSameDecisions(folder: string, difference: { readonly recorded: string; readonly replayed: string } | null): void {
  if (difference === null) return;
  throw new ConfigError(
    `${folder}: the repeated bot decides differently: recorded ${difference.recorded}, now ${difference.replayed}`,
    `the strategy or the config has changed since: isobar replay ${shellWord(folder)} shows where`,
  );
}

/** Returns the order with the trade ids of the journal, which has them as text because they may exceed the range of numbers. */
function withTradeIds(order: ExplainedOrder, { recorded }: Lifetime): ExplainedOrder {
  const fills = recorded.records.filter(
    (record) => record.k === 'FILL' && record.cid !== null && recorded.numberOf(record.cid) === order.order,
  );
  // The fills of an order have the same sequence in the journal and in the replay.
  let fillIndex = 0;
  const events = order.events.map((event) => {
    if (event.kind !== 'fill') return event;
    const tradeId = tradeIdOf(fills[fillIndex]) ?? event.tradeId;
    fillIndex++;
    return { ...event, tradeId };
  });
  return { ...order, events };
}

/** Returns the trade id of a FILL record. */
function tradeIdOf(record: JournalRecord | undefined): string | null {
  return record?.k === 'FILL' ? record.tradeId : null;
}

/** Returns the fills that the exchange reported during the bar for orders that were sent before it. */
function earlierOrderFills(
  records: readonly JournalRecord[],
  { recorded }: Lifetime,
  orders: readonly ExplainedOrder[],
): readonly ExplainedEvent[] {
  return records.flatMap((record): ExplainedEvent[] => {
    if (record.k !== 'FILL') return [];
    const number = record.cid === null ? null : (recorded.numberOf(record.cid) ?? null);
    if (orders.some(({ order }) => order === number)) return [];
    const { executedMs: timeMs, price, qty: quantity, fee, feeCoin, maker: isMaker, tradeId } = record;
    return [
      {
        timeMs,
        order: number,
        inBar: true,
        kind: 'fill',
        rule: null,
        also: [],
        price,
        quantity,
        fee: `${fee} ${feeCoin}`,
        isMaker,
        tradeId,
        code: null,
        text: `filled as ${isMaker ? 'maker' : 'taker'}`,
      },
    ];
  });
}
