// Types of the stopwatch, which ccxt's program uses without a compiler.

export interface OrderTimes {
  readonly toSocketUs: number;
  readonly toAnswerUs: number;
}

export class OrderTimer {
  constructor(create: (at: number) => Promise<unknown>);
  run(count: number): Promise<OrderTimes>;
}
