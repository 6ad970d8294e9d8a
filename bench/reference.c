/* The least work that an honest bar-by-bar backtest of an SMA cross can do, in whole money units: what isobar's speed is measured against.
 *
 * Build: gcc -O2 -Wall -ffp-contract=off -o reference reference.c      (no fused multiply-add: it changes the last bit on some CPUs)
 * Run:   ./reference bars.bin <fast> <slow> <lots> <cash units> <fee ppm> <passes>
 *
 * bars.bin: a uint64 row count, then all opens and all closes as float64 whole units, little-endian.
 * For each bar: fill at the open what the last close decided (fee half up to a unit), add the close to both running sums, mark equity,
 * drawdown, decide on the crossing of the averages. Prints one JSON line; nsPerBar is the best pass by process CPU time.
 */
#include "common.h"

typedef struct {
  double equity, fees, drawdown, equitySum;
  int64_t fills;
} Outcome;

__attribute__((noinline)) static Outcome pass(int64_t rows, const double *open, const double *close, int fast, int slow, double lots,
                                              double cash, int64_t feePpm, double *equity, Fill *log) {
  double fastSum = 0, slowSum = 0, held = 0, peak = cash, drawdown = 0, fees = 0, total = 0, before = 0;
  int64_t fills = 0;
  int waiting = 0; /* the one open order: +1 buys, -1 sells */
  for (int64_t row = 0; row < rows; row++) {
    if (waiting) {
      const double price = open[row];
      const double fee = (double)(((int64_t)(price * lots) * feePpm + 500000) / 1000000);
      cash -= waiting * lots * price + fee;
      fees += fee;
      held += waiting * lots;
      log[fills++] = (Fill){row, waiting, price, fee};
      waiting = 0;
    }
    const double price = close[row];
    fastSum += price;
    slowSum += price;
    if (row >= fast) fastSum -= close[row - fast];
    if (row >= slow) slowSum -= close[row - slow];
    const double worth = cash + held * price;
    equity[row] = worth;
    total += worth;
    if (worth > peak) peak = worth;
    else if (peak - worth > drawdown) drawdown = peak - worth;
    if (row >= slow - 1) {
      const double gap = fastSum / fast - slowSum / slow;
      if (row >= slow) {
        if (gap > 0 && before <= 0 && held == 0) waiting = 1;
        else if (gap < 0 && before >= 0 && held > 0) waiting = -1;
      }
      before = gap;
    }
  }
  return (Outcome){equity[rows - 1], fees, drawdown, total, fills};
}

int main(int count, char **words) {
  if (count != 8) fail("usage: reference bars.bin fast slow lots cashUnits feePpm passes");
  FILE *file = fopen(words[1], "rb");
  uint64_t rows;
  if (!file || fread(&rows, 8, 1, file) != 1 || rows == 0) fail("cannot read the bars");
  double *open = touched(rows * 8), *close = touched(rows * 8);
  if (fread(open, 8, rows, file) != rows || fread(close, 8, rows, file) != rows) fail("the bars file is too short");
  fclose(file);
  double *equity = touched(rows * 8), best = 1e300;
  Fill *log = touched(rows * sizeof(Fill));
  Outcome got = {0};
  for (int left = atoi(words[7]); left > 0; left--) {
    const double from = cpuNs();
    got = pass((int64_t)rows, open, close, atoi(words[2]), atoi(words[3]), atof(words[4]), atof(words[5]), atoll(words[6]), equity, log);
    const double ns = (cpuNs() - from) / (double)rows;
    if (ns < best) best = ns;
  }
  printf("{\"nsPerBar\":%.4f,\"equity\":%.17g,\"fees\":%.17g,\"fills\":%lld,\"maxDrawdown\":%.17g,\"equitySum\":%.17g,\"fillsHash\":\"%08x\"}\n",
         best, got.equity, got.fees, (long long)got.fills, got.drawdown, got.equitySum, hashOf(log, got.fills));
}
