/* What a strategy that leaves the common path would cost in C: the same trades as the strategies of bench/cliffs.ts, in whole money units.
 *
 * Build: gcc -O2 -Wall -ffp-contract=off -o cliffs cliffs.c
 * Run:   ./cliffs bars.bin <kind> <passes>
 *
 * bars.bin: a uint64 row count, then all opens, highs, lows and closes as float64 whole units of 10^-6, little-endian. One lot of one coin,
 * fees of 400 ppm, cash of 10^14 units. Prints what reference.c prints. Each kind is a loop of its own to the compiler.
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
#define BACK 20
#define PAIRS 30
#define WARM (60 + 3 * (PAIRS - 1)) /* no decision before the longest average is known, and its value before */
#define DISTANCE 300e6
#define WILDER 14
#define WIDTH 20
#define COARSE 4
#define FRAME_BARS 20
#define COINS 50
static const int MINUTES[COARSE] = {5, 15, 60, 240};

/* An exponential average that starts with a simple one. */
typedef struct {
  double mean;
  int count;
} Mean;
static inline void follow(Mean *of, int bars, double x) {
  if (of->count == bars) of->mean += (x - of->mean) * 2 / (bars + 1);
  else {
    of->mean += x;
    if (++of->count == bars) of->mean /= bars;
  }
}

typedef struct {
  double equity, fees, drawdown, equitySum, seen;
  int64_t fills;
} Outcome;

typedef struct {
  int64_t rows;
  const double *open, *high, *low, *close;
  double *equity;
  Fill *log;
} Run;

static inline double feeOf(double price) { return (double)(((int64_t)price * FEE_PPM + 500000) / 1000000); }

static inline __attribute__((always_inline)) Outcome pass(const Run *run, const int kind) {
  const double *open = run->open, *high = run->high, *low = run->low, *close = run->close;
  double cash = CASH, held = 0, peak = CASH, drawdown = 0, fees = 0, total = 0, before = 0, seen = 0, limit = 0, best = 0;
  double fastSum = 0, slowSum = 0, sums[2 * PAIRS] = {0}, gaps[PAIRS] = {0};
  double gain = 0, loss = 0, range = 0, stop = 0, level = 0;
  double frameSums[COARSE] = {0}, frameBefore[COARSE] = {0};
  int rising[COARSE] = {0};
  Mean quick = {0, 0}, slack = {0, 0}, signal = {0, 0};
  int64_t fills = 0;
  int waiting = 0;
#define FILL(at, sign, price)                          \
  do {                                                 \
    const double fee = feeOf(price);                   \
    cash -= (sign) * (price) + fee;                    \
    fees += fee;                                       \
    held += (sign);                                    \
    run->log[fills++] = (Fill){at, sign, price, fee};  \
  } while (0)
  for (int64_t row = 0; row < run->rows; row++) {
    if (waiting) {
      FILL(row, waiting, open[row]);
      best = open[row];
      level = stop;
      waiting = 0;
    }
    if (kind == RSI_ATR && held > 0) {
      if (open[row] <= level) FILL(row, -1, open[row]);
      else if (low[row] <= level) FILL(row + 1, -1, level);
    }
    if (kind == TRAILING && held > 0) {
      const double level = best - DISTANCE;
      if (open[row] <= level) FILL(row, -1, open[row]);
      else if (low[row] <= level) FILL(row + 1, -1, level); /* it has the time of the close, which is the next open */
      else if (high[row] > best) best = high[row];
    }
    if (kind == LIMIT && limit > 0 && low[row] <= limit) FILL(row + 1, 1, limit);
    const double price = close[row];
    const double worth = cash + held * price;
    run->equity[row] = worth;
    total += worth;
    if (worth > peak) peak = worth;
    else if (peak - worth > drawdown) drawdown = peak - worth;
    if (kind == EVERY_BAR) waiting = held == 0 ? 1 : -1;
    if (kind == LIMIT) limit = (double)((int64_t)(price * 0.9) / 10000 * 10000);
    if (kind == EQUITY && worth > seen) seen = worth;
    if (kind == AGO && row >= BACK) {
      double sum = 0;
      for (int back = 1; back <= BACK; back++) sum += close[row - back] / 1e6;
      const double mean = sum / BACK, now = price / 1e6;
      if (now > mean && held == 0) waiting = 1;
      else if (now < mean && held > 0) waiting = -1;
    }
    if (kind == RSI_ATR && row > 0) {
      const double last = close[row - 1], change = price - last;
      const double up = change > 0 ? change : 0, down = change < 0 ? -change : 0;
      const double spread = (high[row] > last ? high[row] : last) - (low[row] < last ? low[row] : last);
      if (row > WILDER) {
        gain += (up - gain) / WILDER;
        loss += (down - loss) / WILDER;
        range += (spread - range) / WILDER;
      } else {
        gain += up;
        loss += down;
        range += spread;
        if (row == WILDER) {
          gain /= WILDER;
          loss /= WILDER;
          range /= WILDER;
        }
      }
      if (row >= WILDER) {
        const double strength = gain + loss == 0 ? 50 : 100 * gain / (gain + loss);
        if (strength < 30 && held == 0) {
          waiting = 1;
          stop = (double)(int64_t)((price - 3 * range) / 10000 + 0.5) * 10000; /* to a whole cent */
        } else if (strength > 70 && held > 0) waiting = -1;
      }
    }
    if (kind == BANDS) {
      follow(&quick, 12, price);
      follow(&slack, 26, price);
      if (row >= 25) follow(&signal, 9, quick.mean - slack.mean);
      if (row >= 33) {
        double sum = 0, squares = 0;
        for (int back = 0; back < WIDTH; back++) sum += close[row - back] - price;
        const double shift = sum / WIDTH;
        for (int back = 0; back < WIDTH; back++) {
          const double off = close[row - back] - price - shift;
          squares += off * off;
        }
        const double middle = price + shift, reach = 2 * sqrt(squares / WIDTH);
        if (price < middle - reach && held == 0) waiting = 1;
        else if (price > middle && quick.mean - slack.mean > signal.mean && held > 0) waiting = -1;
      }
    }
    if (kind == FRAMES) {
      for (int frame = 0; frame < COARSE; frame++) {
        const int64_t minutes = MINUTES[frame];
        if ((row + 1) % minutes != 0) continue;
        const int64_t bar = row / minutes;
        frameSums[frame] += price;
        if (bar >= FRAME_BARS) frameSums[frame] -= close[row - FRAME_BARS * minutes];
        rising[frame] = bar >= FRAME_BARS && frameSums[frame] > frameBefore[frame];
        frameBefore[frame] = frameSums[frame];
      }
    }
    if (kind == CROSS || kind == EQUITY || kind == TRAILING || kind == FRAMES) {
      fastSum += price;
      slowSum += price;
      if (row >= FAST) fastSum -= close[row - FAST];
      if (row >= SLOW) slowSum -= close[row - SLOW];
      if (row >= SLOW - 1) {
        const double gap = fastSum / FAST - slowSum / SLOW;
        if (row >= SLOW) {
          const int ups = kind == FRAMES ? rising[0] + rising[1] + rising[2] + rising[3] : COARSE;
          if (kind == FRAMES && row < FRAME_BARS * MINUTES[COARSE - 1] - 1) {
          } else if (gap > 0 && before <= 0 && held == 0 && ups >= 2) waiting = 1;
          else if (kind != TRAILING && gap < 0 && before >= 0 && held > 0) waiting = -1;
        }
        before = gap;
      }
    }
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
        if (row >= WARM && gap > 0 && gaps[pair] <= 0) {
          if (pair < 2) crossed[pair] = 1;
          else seen++;
        }
        gaps[pair] = gap;
      }
      if (crossed[0] && held == 0) waiting = 1;
      else if (crossed[1] && held > 0) waiting = -1;
    }
  }
  return (Outcome){run->equity[run->rows - 1], fees, drawdown, total, seen, fills};
}

/* An SMA cross on each coin, all with one account, bar by bar. The columns hold one coin after the other. */
__attribute__((noinline)) static Outcome symbols(const Run *run) {
  const int64_t rows = run->rows / COINS;
  double cash = CASH, peak = CASH, drawdown = 0, fees = 0, total = 0;
  double held[COINS] = {0}, fastSums[COINS] = {0}, slowSums[COINS] = {0}, before[COINS] = {0};
  int waiting[COINS] = {0};
  int64_t fills = 0;
  for (int64_t row = 0; row < rows; row++) {
    double worth = 0;
    for (int coin = 0; coin < COINS; coin++) {
      const double *close = run->close + coin * rows;
      const double price = close[row];
      if (waiting[coin]) {
        const double paid = run->open[coin * rows + row], fee = feeOf(paid);
        cash -= waiting[coin] * paid + fee;
        fees += fee;
        held[coin] += waiting[coin];
        run->log[fills++] = (Fill){row, waiting[coin], paid, fee};
        waiting[coin] = 0;
      }
      worth += held[coin] * price;
      fastSums[coin] += price;
      slowSums[coin] += price;
      if (row >= FAST) fastSums[coin] -= close[row - FAST];
      if (row >= SLOW) slowSums[coin] -= close[row - SLOW];
      if (row < SLOW - 1) continue;
      const double gap = fastSums[coin] / FAST - slowSums[coin] / SLOW;
      if (row >= SLOW) {
        if (gap > 0 && before[coin] <= 0 && held[coin] == 0) waiting[coin] = 1;
        else if (gap < 0 && before[coin] >= 0 && held[coin] > 0) waiting[coin] = -1;
      }
      before[coin] = gap;
    }
    worth += cash;
    run->equity[row] = worth;
    total += worth;
    if (worth > peak) peak = worth;
    else if (peak - worth > drawdown) drawdown = peak - worth;
  }
  return (Outcome){run->equity[rows - 1], fees, drawdown, total, 0, fills};
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

int main(int count, char **words) {
  if (count != 4) fail("usage: cliffs bars.bin kind passes");
  int kind = 0;
  while (kind < KINDS && strcmp(NAMES[kind], words[2]) != 0) kind++;
  if (kind == KINDS) fail("no such kind");
  FILE *file = fopen(words[1], "rb");
  uint64_t rows;
  if (!file || fread(&rows, 8, 1, file) != 1 || rows == 0) fail("cannot read the bars");
  double *columns[4];
  for (int at = 0; at < 4; at++) {
    columns[at] = touched(rows * 8);
    if (fread(columns[at], 8, rows, file) != rows) fail("the bars file is too short");
  }
  fclose(file);
  const Run run = {(int64_t)rows, columns[0], columns[1], columns[2], columns[3], touched(rows * 8), touched((rows + 1) * 2 * sizeof(Fill))};
  double best = 1e300;
  Outcome got = {0};
  for (int left = atoi(words[3]); left > 0; left--) {
    const double from = cpuNs();
    got = PASSES[kind](&run);
    const double ns = (cpuNs() - from) / (double)rows;
    if (ns < best) best = ns;
  }
  printf("{\"nsPerBar\":%.4f,\"equity\":%.17g,\"fees\":%.17g,\"fills\":%lld,\"maxDrawdown\":%.17g,\"equitySum\":%.17g,\"fillsHash\":\"%08x\",\"seen\":%.17g}\n",
         best, got.equity, got.fees, (long long)got.fills, got.drawdown, got.equitySum, hashOf(run.log, got.fills), got.seen);
}
