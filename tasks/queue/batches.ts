/** Rows that one statement takes at most: enough to be quick, few enough to hold no lock for long. */
const batch = 5_000

/** Calls `take` until it took fewer rows than it might, or the signal aborts; `take` answers how many it took. */
export async function inBatches(
  signal: AbortSignal,
  take: (limit: number) => Promise<number>,
  limit = batch,
): Promise<void> {
  while (!signal.aborted && (await take(limit)) === limit);
}
