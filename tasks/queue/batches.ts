const batch = 5_000

/**
 * Calls `take` until it processes fewer rows than its limit, or the signal aborts. `take` returns the number of rows.
 */
export async function inBatches(
  signal: AbortSignal,
  take: (limit: number) => Promise<number>,
  limit = batch,
): Promise<void> {
  while (!signal.aborted && (await take(limit)) === limit);
}
