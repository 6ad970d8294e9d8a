/* Backtests the strategies of bench/cliffs.ts, which leave the engine's fast path, with the same trades in plain C.
 * All money is in whole units.
 *
 * Build: gcc -O2 -Wall -ffp-contract=off -o cliffs cliffs.c
 * Run:   ./cliffs bars.bin <kind> <passes>
 *
 * bars.bin: a uint64 row count, then all opens, highs, lows and closes as float64 whole units of 10^-6, little-endian.
 * Each order has one lot. The fee is 400 ppm, the cash 10^14 units. Prints the fields of reference.c.
 * The compiler makes a loop of its own for each kind, because `kind` is a constant there.
 */
#include "common.h"
#include <math.h>

enum { EVERY_BAR, LIMIT, CROSS, EQUITY, AGO, TRAILING, SIGNALS, RSI_ATR, BANDS, FRAMES, SYMBOLS, KINDS };
static const char *const NAMES[KINDS] = {"everyBar", "limit",  "cross", "equity", "ago",    "trailing",
                                         "signals",  "rsiAtr", "bands", "frames", "symbols"};

#define FEE_PPM 400
#define CASH 1e14
#define FAST 10
#define SLOW 30
#define AGO_BARS 20
#define PAIRS 30
#define FIRST_DECISION (60 + 3 * (PAIRS - 1)) /* the first row with two values of the longest average */
#define TRAIL_UNITS 300e6
#define WILDER_BARS 14
#define BAND_BARS 20
#define FRAMES_COUNT 4
#define FRAME_BARS 20
#define SYMBOL_COUNT 50
static const int MINUTES[FRAMES_COUNT] = {5, 15, 60, 240};

/* An exponential average. It starts as the simple average of the first `bars` values. */
typedef struct {
  double mean;
  int count;
} Mean;
/* Adds the next value to an average over `bars` values. */
static inline void addToMean(Mean *average, int bars, double value) {
  if (average->count == bars) average->mean += (value - average->mean) * 2 / (bars + 1);
  else {
    average->mean += value;
    if (++average->count == bars) average->mean /= bars;
  }
}

/* The figures of one pass, in units of money. */
typedef struct {
  double equity, fees, drawdown, equitySum;
  double sink; /* printed so that the compiler keeps the work behind it */
  int64_t fills;
} Outcome;

/* The bars, and memory for equity and fills. */
typedef struct {
  int64_t rows;
  const double *open, *high, *low, *close;
  double *equity;
  Fill *log;
} Run;

/* Returns the fee of one lot at a price, rounded half up to the unit. */
static inline double feeOf(double price) { return (double)(((int64_t)price * FEE_PPM + 500000) / 1000000); }

static inline __attribute__((always_inline)) Outcome pass(const Run *run, const int kind) {
  const double *open = run->open, *high = run->high, *low = run->low, *close = run->close;
  double cash = CASH, position = 0, peak = CASH, drawdown = 0, fees = 0, equitySum = 0, gapBefore = 0, sink = 0, limit = 0, highest = 0;
  double fastSum = 0, slowSum = 0, sums[2 * PAIRS] = {0}, gaps[PAIRS] = {0};
  double gain = 0, loss = 0, range = 0, stop = 0, level = 0;
  double frameSums[FRAMES_COUNT] = {0}, frameBefore[FRAMES_COUNT] = {0};
  int rising[FRAMES_COUNT] = {0};
  Mean shortMean = {0, 0}, longMean = {0, 0}, signal = {0, 0};
  int64_t fills = 0;
  int orderSide = 0;
#define FILL(row, sign, price)                         \
  do {                                                 \
    const double fee = feeOf(price);                   \
    cash -= (sign) * (price) + fee;                    \
    fees += fee;                                       \
    position += (sign);                                \
    run->log[fills++] = (Fill){row, sign, price, fee}; \
  } while (0)
  for (int64_t row = 0; row < run->rows; row++) {
    if (orderSide) {
      FILL(row, orderSide, open[row]);
      highest = open[row];
      level = stop;
      orderSide = 0;
    }
    /* The stop of the RSI strategy: at the open beyond it, else at its level within the bar. */
    if (kind == RSI_ATR && position > 0) {
      if (open[row] <= level) FILL(row, -1, open[row]);
      else if (low[row] <= level) FILL(row + 1, -1, level);
    }
    if (kind == TRAILING && position > 0) {
      const double level = highest - TRAIL_UNITS;
      if (open[row] <= level) FILL(row, -1, open[row]);
      else if (low[row] <= level) FILL(row + 1, -1, level); /* The fill has the time of the close, which is the open of the next row. */
      else if (high[row] > highest) highest = high[row];
    }
    if (kind == LIMIT && limit > 0 && low[row] <= limit) FILL(row + 1, 1, limit);
    const double price = close[row];
    const double equityNow = cash + position * price;
    run->equity[row] = equityNow;
    equitySum += equityNow;
    if (equityNow > peak) peak = equityNow;
    else if (peak - equityNow > drawdown) drawdown = peak - equityNow;
    if (kind == EVERY_BAR) orderSide = position == 0 ? 1 : -1;
    if (kind == LIMIT) limit = (double)((int64_t)(price * 0.9) / 10000 * 10000);
    if (kind == EQUITY && equityNow > sink) sink = equityNow;
    /* Buys above the mean of the last AGO_BARS closes, sells below it. */
    if (kind == AGO && row >= AGO_BARS) {
      double sum = 0;
      for (int back = 1; back <= AGO_BARS; back++) sum += close[row - back] / 1e6;
      const double mean = sum / AGO_BARS, now = price / 1e6;
      if (now > mean && position == 0) orderSide = 1;
      else if (now < mean && position > 0) orderSide = -1;
    }
    /* Wilder's averages of gains, losses and true ranges. Buys at an RSI below 30 with a stop, sells above 70. */
    if (kind == RSI_ATR && row > 0) {
      const double last = close[row - 1], change = price - last;
      const double up = change > 0 ? change : 0, down = change < 0 ? -change : 0;
      const double spread = (high[row] > last ? high[row] : last) - (low[row] < last ? low[row] : last);
      if (row > WILDER_BARS) {
        gain += (up - gain) / WILDER_BARS;
        loss += (down - loss) / WILDER_BARS;
        range += (spread - range) / WILDER_BARS;
      } else {
        gain += up;
        loss += down;
        range += spread;
        if (row == WILDER_BARS) {
          gain /= WILDER_BARS;
          loss /= WILDER_BARS;
          range /= WILDER_BARS;
        }
      }
      if (row >= WILDER_BARS) {
        const double strength = gain + loss == 0 ? 50 : 100 * gain / (gain + loss);
        if (strength < 30 && position == 0) {
          orderSide = 1;
          stop = (double)(int64_t)((price - 3 * range) / 10000 + 0.5) * 10000; /* rounded to the tick of 0.01 */
        } else if (strength > 70 && position > 0) orderSide = -1;
      }
    }
    /* Bollinger bands and MACD 12/26/9. The sums are shifted by the price, as in the engine, so that no digit is lost. */
    if (kind == BANDS) {
      addToMean(&shortMean, 12, price);
      addToMean(&longMean, 26, price);
      if (row >= 25) addToMean(&signal, 9, shortMean.mean - longMean.mean);
      if (row >= 33) {
        double sum = 0, squares = 0;
        for (int back = 0; back < BAND_BARS; back++) sum += close[row - back] - price;
        const double shift = sum / BAND_BARS;
        for (int back = 0; back < BAND_BARS; back++) {
          const double deviation = close[row - back] - price - shift;
          squares += deviation * deviation;
        }
        const double middle = price + shift, halfWidth = 2 * sqrt(squares / BAND_BARS);
        if (price < middle - halfWidth && position == 0) orderSide = 1;
        else if (price > middle && shortMean.mean - longMean.mean > signal.mean && position > 0) orderSide = -1;
      }
    }
    /* At the close of each coarser bar: whether its average rises. */
    if (kind == FRAMES) {
      for (int frame = 0; frame < FRAMES_COUNT; frame++) {
        const int64_t minutes = MINUTES[frame];
        if ((row + 1) % minutes != 0) continue;
        const int64_t bar = row / minutes;
        frameSums[frame] += price;
        if (bar >= FRAME_BARS) frameSums[frame] -= close[row - FRAME_BARS * minutes];
        rising[frame] = bar >= FRAME_BARS && frameSums[frame] > frameBefore[frame];
        frameBefore[frame] = frameSums[frame];
      }
    }
    /* The SMA cross, which four kinds share. FRAMES also asks for two rising averages, TRAILING never sells by itself. */
    if (kind == CROSS || kind == EQUITY || kind == TRAILING || kind == FRAMES) {
      fastSum += price;
      slowSum += price;
      if (row >= FAST) fastSum -= close[row - FAST];
      if (row >= SLOW) slowSum -= close[row - SLOW];
      if (row >= SLOW - 1) {
        const double gap = fastSum / FAST - slowSum / SLOW;
        if (row >= SLOW) {
          const int ups = kind == FRAMES ? rising[0] + rising[1] + rising[2] + rising[3] : FRAMES_COUNT;
          if (kind == FRAMES && row < FRAME_BARS * MINUTES[FRAMES_COUNT - 1] - 1) {
          } else if (gap > 0 && gapBefore <= 0 && position == 0 && ups >= 2) orderSide = 1;
          else if (kind != TRAILING && gap < 0 && gapBefore >= 0 && position > 0) orderSide = -1;
        }
        gapBefore = gap;
      }
    }
    /* Thirty crosses. The first two trade, the others are counted. */
    if (kind == SIGNALS) {
      int crossed[2] = {0, 0};
      for (int pair = 0; pair < PAIRS; pair++) {
        const int fast = 5 + pair, slow = 60 + 3 * pair;
        sums[2 * pair] += price;
        sums[2 * pair + 1] += price;
        if (row >= fast) sums[2 * pair] -= close[row - fast];
        if (row >= slow) sums[2 * pair + 1] -= close[row - slow];
        if (row < slow - 1) continue;
        const double gap = (sums[2 * pair] / fast - sums[2 * pair + 1] / slow) * (pair % 2 == 0 ? 1 : -1);
        if (row >= FIRST_DECISION && gap > 0 && gaps[pair] <= 0) {
          if (pair < 2) crossed[pair] = 1;
          else sink++;
        }
        gaps[pair] = gap;
      }
      if (crossed[0] && position == 0) orderSide = 1;
      else if (crossed[1] && position > 0) orderSide = -1;
    }
  }
  return (Outcome){run->equity[run->rows - 1], fees, drawdown, equitySum, sink, fills};
}

/* Backtests an SMA cross on each symbol, all with one account. Each column holds the prices of one symbol after the other. */
__attribute__((noinline)) static Outcome symbols(const Run *run) {
  const int64_t rows = run->rows / SYMBOL_COUNT;
  double cash = CASH, peak = CASH, drawdown = 0, fees = 0, equitySum = 0;
  double position[SYMBOL_COUNT] = {0}, fastSums[SYMBOL_COUNT] = {0}, slowSums[SYMBOL_COUNT] = {0}, gapBefore[SYMBOL_COUNT] = {0};
  int orderSide[SYMBOL_COUNT] = {0};
  int64_t fills = 0;
  for (int64_t row = 0; row < rows; row++) {
    double equityNow = 0;
    for (int symbol = 0; symbol < SYMBOL_COUNT; symbol++) {
      const double *close = run->close + symbol * rows;
      const double price = close[row];
      if (orderSide[symbol]) {
        const double paid = run->open[symbol * rows + row], fee = feeOf(paid);
        cash -= orderSide[symbol] * paid + fee;
        fees += fee;
        position[symbol] += orderSide[symbol];
        run->log[fills++] = (Fill){row, orderSide[symbol], paid, fee};
        orderSide[symbol] = 0;
      }
      equityNow += position[symbol] * price;
      fastSums[symbol] += price;
      slowSums[symbol] += price;
      if (row >= FAST) fastSums[symbol] -= close[row - FAST];
      if (row >= SLOW) slowSums[symbol] -= close[row - SLOW];
      if (row < SLOW - 1) continue;
      const double gap = fastSums[symbol] / FAST - slowSums[symbol] / SLOW;
      if (row >= SLOW) {
        if (gap > 0 && gapBefore[symbol] <= 0 && position[symbol] == 0) orderSide[symbol] = 1;
        else if (gap < 0 && gapBefore[symbol] >= 0 && position[symbol] > 0) orderSide[symbol] = -1;
      }
      gapBefore[symbol] = gap;
    }
    equityNow += cash;
    run->equity[row] = equityNow;
    equitySum += equityNow;
    if (equityNow > peak) peak = equityNow;
    else if (peak - equityNow > drawdown) drawdown = peak - equityNow;
  }
  return (Outcome){run->equity[rows - 1], fees, drawdown, equitySum, 0, fills};
}

#define PASS(name, kind) \
  __attribute__((noinline)) static Outcome name(const Run *run) { return pass(run, kind); }
PASS(everyBar, EVERY_BAR)
PASS(limitOrder, LIMIT)
PASS(cross, CROSS)
PASS(equityRead, EQUITY)
PASS(ago, AGO)
PASS(trailing, TRAILING)
PASS(signals, SIGNALS)
PASS(rsiAtr, RSI_ATR)
PASS(bands, BANDS)
PASS(frames, FRAMES)
static Outcome (*const PASSES[KINDS])(const Run *) = {everyBar, limitOrder, cross,  equityRead, ago,    trailing,
                                                      signals,  rsiAtr,     bands, frames,     symbols};

int main(int argCount, char **args) {
  if (argCount != 4) fail("usage: cliffs bars.bin kind passes");
  int kind = 0;
  while (kind < KINDS && strcmp(NAMES[kind], args[2]) != 0) kind++;
  if (kind == KINDS) fail("no such kind");
  FILE *file = fopen(args[1], "rb");
  uint64_t rows;
  if (!file || fread(&rows, 8, 1, file) != 1 || rows == 0) fail("cannot read the bars");
  double *columns[4];
  for (int column = 0; column < 4; column++) {
    columns[column] = allocateTouched(rows * 8);
    if (fread(columns[column], 8, rows, file) != rows) fail("the bars file is too short");
  }
  fclose(file);
  const Run run = {(int64_t)rows, columns[0], columns[1], columns[2], columns[3], allocateTouched(rows * 8), allocateTouched((rows + 1) * 2 * sizeof(Fill))};
  double minNsPerBar = 1e300;
  Outcome outcome = {0};
  for (int passesLeft = atoi(args[3]); passesLeft > 0; passesLeft--) {
    const double startNs = cpuNs();
    outcome = PASSES[kind](&run);
    const double ns = (cpuNs() - startNs) / (double)rows;
    if (ns < minNsPerBar) minNsPerBar = ns;
  }
  const char *const format =
      "{\"nsPerBar\":%.4f,\"equity\":%.17g,\"fees\":%.17g,\"fills\":%lld,"
      "\"maxDrawdown\":%.17g,\"equitySum\":%.17g,\"fillsHash\":\"%08x\",\"sink\":%.17g}\n";
  printf(format, minNsPerBar, outcome.equity, outcome.fees, (long long)outcome.fills, outcome.drawdown, outcome.equitySum,
         hashOf(run.log, outcome.fills), outcome.sink);
}
