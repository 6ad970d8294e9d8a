// Types of orderTimer.mjs, which runs without a compiler.

/** Mean CPU times of an order, us. */
export interface OrderTimes {
  readonly toSocketUs: number;
  readonly toAnswerUs: number;
}

export class OrderTimer {
  constructor(create: (orderIndex: number) => Promise<unknown>);
  run(count: number): Promise<OrderTimes>;
}
