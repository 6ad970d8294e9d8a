/* Computes the twenty series of bench/strategies/pairSeries.ts over two symbols, in two ways, to about ten digits.
 *
 * Build: gcc -O2 -Wall -ffp-contract=off -o pairs pairs.c -lm
 * Run:   ./pairs bars.bin <rolling|windows> <passes> [values.bin]
 *
 * bars.bin: a uint64 row count, then as float64, little-endian: the close times and closes of the first symbol, and those of the second.
 * rolling: means, sums of squares and sums of products follow the window row by row, by Welford's updates. Sums of plain squares would be
 *   shorter, but they lose half of the digits of a price whose spread is a thousandth of it.
 * windows: each row sums over its whole window, first the mean, then the distances from it.
 * Each series has a loop of its own over all rows, as functions over columns have. Prints {"nsPerBar"}, the CPU time of the process for each
 * bar of the best pass. Writes the twenty columns of the last pass to values.bin.
 */
#include "common.h"
#include <math.h>

enum { LOG_A, LOG_B, RATIO, SPREAD, MOVE_A, MOVE_B, BETA, CORR, RESIDUAL, SCORE,
       RESIDUAL_SCORE, DEVIATION_A, DEVIATION_B, DEVIATIONS, MEAN, SMOOTH, RATIO_TO_MEAN, LAGGED, CHOSEN, RANK, COUNT };

#define SHORT 20
#define LONG 60
#define LAG 5
#define FRESH 1024 /* rows after which running sums are made again */

typedef enum { DEVIATION, ZSCORE } Spread;
typedef enum { SLOPE, CORRELATION } Pair;

/* Copies the newest value of the second symbol that had closed at each row of the first. */
static void asOf(int64_t rows, const double *ms, const double *otherMs, const double *other, double *out) {
  int64_t found = -1;
  for (int64_t row = 0; row < rows; row++) {
    while (found + 1 < rows && otherMs[found + 1] <= ms[row]) found++;
    out[row] = found < 0 ? NAN : other[found];
  }
}

/* The standard deviation or the z-score of the last `bars` values. The first value of x is at row `from`. */
static inline __attribute__((always_inline)) void rollingSpread(int64_t rows, int64_t from, const double *x, int bars, Spread kind, double *out) {
  double mean = 0, squares = 0;
  for (int64_t row = from + bars - 1, age = 0; row < rows; row++, age = (age + 1) % FRESH) {
    if (age == 0) {
      double sum = 0;
      for (int back = 0; back < bars; back++) sum += x[row - back];
      mean = sum / bars;
      squares = 0;
      for (int back = 0; back < bars; back++) squares += (x[row - back] - mean) * (x[row - back] - mean);
    } else {
      const double old = x[row - bars], change = x[row] - old, next = mean + change / bars;
      squares += change * (x[row] - next + old - mean);
      mean = next;
    }
    const double deviation = sqrt(squares / bars);
    out[row] = kind == ZSCORE ? (x[row] - mean) / deviation : deviation;
  }
}

static inline __attribute__((always_inline)) void windowSpread(int64_t rows, int64_t from, const double *x, int bars, Spread kind, double *out) {
  for (int64_t row = from + bars - 1; row < rows; row++) {
    double sum = 0, squares = 0;
    for (int back = 0; back < bars; back++) sum += x[row - back];
    const double mean = sum / bars;
    for (int back = 0; back < bars; back++) squares += (x[row - back] - mean) * (x[row - back] - mean);
    const double deviation = sqrt(squares / bars);
    out[row] = kind == ZSCORE ? (x[row] - mean) / deviation : deviation;
  }
}

/* The slope of a over b, or their correlation, over the last `bars` values. The first values are at row `from`. */
static inline __attribute__((always_inline)) void rollingPair(int64_t rows, int64_t from, const double *a, const double *b, int bars, Pair kind, double *out) {
  double meanA = 0, meanB = 0, products = 0, squaresA = 0, squaresB = 0;
  for (int64_t row = from + bars - 1, age = 0; row < rows; row++, age = (age + 1) % FRESH) {
    if (age == 0) {
      double sumA = 0, sumB = 0;
      for (int back = 0; back < bars; back++) {
        sumA += a[row - back];
        sumB += b[row - back];
      }
      meanA = sumA / bars;
      meanB = sumB / bars;
      products = squaresA = squaresB = 0;
      for (int back = 0; back < bars; back++) {
        const double distanceA = a[row - back] - meanA, distanceB = b[row - back] - meanB;
        products += distanceA * distanceB;
        squaresB += distanceB * distanceB;
        if (kind == CORRELATION) squaresA += distanceA * distanceA;
      }
    } else {
      const double oldA = a[row - bars], oldB = b[row - bars], changeA = a[row] - oldA, changeB = b[row] - oldB;
      const double nextA = meanA + changeA / bars, nextB = meanB + changeB / bars;
      products += (a[row] - nextA) * (b[row] - meanB) - (oldA - nextA) * (oldB - meanB);
      squaresB += changeB * (b[row] - nextB + oldB - meanB);
      if (kind == CORRELATION) squaresA += changeA * (a[row] - nextA + oldA - meanA);
      meanA = nextA;
      meanB = nextB;
    }
    out[row] = kind == SLOPE ? products / squaresB : products / sqrt(squaresA * squaresB);
  }
}

static inline __attribute__((always_inline)) void windowPair(int64_t rows, int64_t from, const double *a, const double *b, int bars, Pair kind, double *out) {
  for (int64_t row = from + bars - 1; row < rows; row++) {
    double sumA = 0, sumB = 0, products = 0, squaresA = 0, squaresB = 0;
    for (int back = 0; back < bars; back++) {
      sumA += a[row - back];
      sumB += b[row - back];
    }
    const double meanA = sumA / bars, meanB = sumB / bars;
    for (int back = 0; back < bars; back++) {
      const double distanceA = a[row - back] - meanA, distanceB = b[row - back] - meanB;
      products += distanceA * distanceB;
      squaresB += distanceB * distanceB;
      if (kind == CORRELATION) squaresA += distanceA * distanceA;
    }
    out[row] = kind == SLOPE ? products / squaresB : products / sqrt(squaresA * squaresB);
  }
}

/* The simple average of the last `bars` values. */
static void rollingMean(int64_t rows, const double *x, int bars, double *out) {
  double sum = 0;
  for (int64_t row = 0; row < rows; row++) {
    sum += x[row];
    if (row >= bars) sum -= x[row - bars];
    if (row >= bars - 1) out[row] = sum / bars;
  }
}

static void windowMean(int64_t rows, const double *x, int bars, double *out) {
  for (int64_t row = bars - 1; row < rows; row++) {
    double sum = 0;
    for (int back = 0; back < bars; back++) sum += x[row - back];
    out[row] = sum / bars;
  }
}

/* The exponential average. Its first value is the simple average of the first `bars` values. */
static void smooth(int64_t rows, const double *x, int bars, double *out) {
  double mean = 0;
  for (int64_t row = 0; row < bars; row++) mean += x[row];
  out[bars - 1] = mean /= bars;
  for (int64_t row = bars; row < rows; row++) out[row] = mean += (x[row] - mean) * 2 / (bars + 1);
}

typedef struct {
  int64_t rows;
  const double *ms[2], *closes[2];
  double *aligned; /* the close of the second symbol at the rows of the first */
  double *out[COUNT];
} Run;

static inline __attribute__((always_inline)) void pass(const Run *run, const int rolling) {
  const int64_t rows = run->rows;
  const double *a = run->closes[0], *b = run->aligned;
  double *const *out = run->out;
  asOf(rows, run->ms[0], run->ms[1], run->closes[1], run->aligned);
  for (int64_t row = 0; row < rows; row++) out[LOG_A][row] = log(a[row]);
  for (int64_t row = 0; row < rows; row++) out[LOG_B][row] = log(b[row]);
  for (int64_t row = 0; row < rows; row++) out[RATIO][row] = a[row] / b[row];
  for (int64_t row = 0; row < rows; row++) out[SPREAD][row] = out[LOG_A][row] - out[LOG_B][row];
  for (int64_t row = 1; row < rows; row++) out[MOVE_A][row] = out[LOG_A][row] - out[LOG_A][row - 1];
  for (int64_t row = 1; row < rows; row++) out[MOVE_B][row] = out[LOG_B][row] - out[LOG_B][row - 1];
  const double *moveA = out[MOVE_A], *moveB = out[MOVE_B];
  if (rolling) {
    rollingPair(rows, 1, moveA, moveB, LONG, SLOPE, out[BETA]);
    rollingPair(rows, 1, moveA, moveB, LONG, CORRELATION, out[CORR]);
  } else {
    windowPair(rows, 1, moveA, moveB, LONG, SLOPE, out[BETA]);
    windowPair(rows, 1, moveA, moveB, LONG, CORRELATION, out[CORR]);
  }
  for (int64_t row = LONG; row < rows; row++) out[RESIDUAL][row] = moveA[row] - out[BETA][row] * moveB[row];
  if (rolling) {
    rollingSpread(rows, 0, out[SPREAD], LONG, ZSCORE, out[SCORE]);
    rollingSpread(rows, LONG, out[RESIDUAL], SHORT, ZSCORE, out[RESIDUAL_SCORE]);
    rollingSpread(rows, 1, moveA, SHORT, DEVIATION, out[DEVIATION_A]);
    rollingSpread(rows, 1, moveB, SHORT, DEVIATION, out[DEVIATION_B]);
    rollingMean(rows, out[RATIO], SHORT, out[MEAN]);
  } else {
    windowSpread(rows, 0, out[SPREAD], LONG, ZSCORE, out[SCORE]);
    windowSpread(rows, LONG, out[RESIDUAL], SHORT, ZSCORE, out[RESIDUAL_SCORE]);
    windowSpread(rows, 1, moveA, SHORT, DEVIATION, out[DEVIATION_A]);
    windowSpread(rows, 1, moveB, SHORT, DEVIATION, out[DEVIATION_B]);
    windowMean(rows, out[RATIO], SHORT, out[MEAN]);
  }
  for (int64_t row = SHORT; row < rows; row++) out[DEVIATIONS][row] = out[DEVIATION_A][row] / out[DEVIATION_B][row];
  smooth(rows, out[RATIO], SHORT, out[SMOOTH]);
  for (int64_t row = SHORT - 1; row < rows; row++) out[RATIO_TO_MEAN][row] = out[RATIO][row] / out[MEAN][row];
  for (int64_t row = LONG - 1 + LAG; row < rows; row++) out[LAGGED][row] = out[SCORE][row - LAG];
  for (int64_t row = LONG - 1; row < rows; row++) out[CHOSEN][row] = out[SCORE][row] > 0 ? moveA[row] : moveB[row];
  for (int64_t row = 1; row < rows; row++) out[RANK][row] = moveB[row] > moveA[row] ? 2 : 1;
}

__attribute__((noinline)) static void rollingPass(const Run *run) { pass(run, 1); }
__attribute__((noinline)) static void windowsPass(const Run *run) { pass(run, 0); }

int main(int argCount, char **args) {
  if (argCount != 4 && argCount != 5) fail("usage: pairs bars.bin rolling|windows passes [values.bin]");
  const int rolling = strcmp(args[2], "rolling") == 0;
  if (!rolling && strcmp(args[2], "windows") != 0) fail("no such kind");
  FILE *file = fopen(args[1], "rb");
  uint64_t rows;
  if (!file || fread(&rows, 8, 1, file) != 1 || rows < LONG + SHORT) fail("cannot read the bars");
  double *columns[4];
  for (int column = 0; column < 4; column++) {
    columns[column] = allocateTouched(rows * 8);
    if (fread(columns[column], 8, rows, file) != rows) fail("the bars file is too short");
  }
  fclose(file);
  Run run = {(int64_t)rows, {columns[0], columns[2]}, {columns[1], columns[3]}, allocateTouched(rows * 8), {0}};
  for (int column = 0; column < COUNT; column++) {
    run.out[column] = allocateTouched(rows * 8);
    for (uint64_t row = 0; row < rows; row++) run.out[column][row] = NAN;
  }
  double minNsPerBar = 1e300;
  for (int passesLeft = atoi(args[3]); passesLeft > 0; passesLeft--) {
    const double startNs = cpuNs();
    if (rolling) rollingPass(&run);
    else windowsPass(&run);
    const double ns = (cpuNs() - startNs) / (double)rows;
    if (ns < minNsPerBar) minNsPerBar = ns;
  }
  if (argCount == 5) {
    FILE *values = fopen(args[4], "wb");
    for (int column = 0; values && column < COUNT; column++)
      if (fwrite(run.out[column], 8, rows, values) != rows) fail("cannot write the values");
    if (!values || fclose(values) != 0) fail("cannot write the values");
  }
  printf("{\"nsPerBar\":%.4f}\n", minNsPerBar);
}
