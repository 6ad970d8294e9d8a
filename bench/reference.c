/* Backtests an SMA cross bar by bar with the least work that an honest backtest can do. The speed of isobar is measured against it.
 * All money is in whole units.
 *
 * Build: gcc -O2 -Wall -ffp-contract=off -o reference reference.c      (no fused multiply-add: it changes the last bit on some CPUs)
 * Run:   ./reference bars.bin <fast> <slow> <lots> <cash units> <fee ppm> <passes>
 *
 * bars.bin: a uint64 row count, then all opens and all closes as float64 whole units, little-endian.
 * Each bar has these steps: fill the order of the last close at the open, with a fee that is rounded half up to a unit. Add the close to
 * both running sums. Record equity and drawdown. Decide on a crossing of the averages.
 * Prints one JSON line; nsPerBar is the CPU time of the process for each bar of the best pass.
 */
#include "common.h"

typedef struct {
  double equity, fees, drawdown, equitySum;
  int64_t fills;
} Outcome;

__attribute__((noinline)) static Outcome pass(int64_t rows, const double *open, const double *close, int fast, int slow, double lots,
                                              double cash, int64_t feePpm, double *equity, Fill *log) {
  double fastSum = 0, slowSum = 0, position = 0, peak = cash, drawdown = 0, fees = 0, equitySum = 0, gapBefore = 0;
  int64_t fills = 0;
  int orderSide = 0; /* the one open order: +1 buys, -1 sells, 0 for none */
  for (int64_t row = 0; row < rows; row++) {
    if (orderSide) {
      const double price = open[row];
      const double fee = (double)(((int64_t)(price * lots) * feePpm + 500000) / 1000000);
      cash -= orderSide * lots * price + fee;
      fees += fee;
      position += orderSide * lots;
      log[fills++] = (Fill){row, orderSide, price, fee};
      orderSide = 0;
    }
    const double price = close[row];
    fastSum += price;
    slowSum += price;
    if (row >= fast) fastSum -= close[row - fast];
    if (row >= slow) slowSum -= close[row - slow];
    const double equityNow = cash + position * price;
    equity[row] = equityNow;
    equitySum += equityNow;
    if (equityNow > peak) peak = equityNow;
    else if (peak - equityNow > drawdown) drawdown = peak - equityNow;
    if (row >= slow - 1) {
      const double gap = fastSum / fast - slowSum / slow;
      if (row >= slow) {
        if (gap > 0 && gapBefore <= 0 && position == 0) orderSide = 1;
        else if (gap < 0 && gapBefore >= 0 && position > 0) orderSide = -1;
      }
      gapBefore = gap;
    }
  }
  return (Outcome){equity[rows - 1], fees, drawdown, equitySum, fills};
}

int main(int argCount, char **args) {
  if (argCount != 8) fail("usage: reference bars.bin fast slow lots cashUnits feePpm passes");
  FILE *file = fopen(args[1], "rb");
  uint64_t rows;
  if (!file || fread(&rows, 8, 1, file) != 1 || rows == 0) fail("cannot read the bars");
  double *open = allocateTouched(rows * 8), *close = allocateTouched(rows * 8);
  if (fread(open, 8, rows, file) != rows || fread(close, 8, rows, file) != rows) fail("the bars file is too short");
  fclose(file);
  double *equity = allocateTouched(rows * 8), minNsPerBar = 1e300;
  Fill *log = allocateTouched(rows * sizeof(Fill));
  Outcome outcome = {0};
  for (int passesLeft = atoi(args[7]); passesLeft > 0; passesLeft--) {
    const double startNs = cpuNs();
    outcome = pass((int64_t)rows, open, close, atoi(args[2]), atoi(args[3]), atof(args[4]), atof(args[5]), atoll(args[6]), equity, log);
    const double ns = (cpuNs() - startNs) / (double)rows;
    if (ns < minNsPerBar) minNsPerBar = ns;
  }
  printf("{\"nsPerBar\":%.4f,\"equity\":%.17g,\"fees\":%.17g,\"fills\":%lld,\"maxDrawdown\":%.17g,\"equitySum\":%.17g,\"fillsHash\":\"%08x\"}\n",
         minNsPerBar, outcome.equity, outcome.fees, (long long)outcome.fills, outcome.drawdown, outcome.equitySum, hashOf(log, outcome.fills));
}
