/** A table with its indexes, and work on it by the statements of the product. */
export interface Subject {
  what: string
  table: string
  /** True if rows stay until their partition is dropped. Then the size per row must be level. */
  stays: boolean
  /** Inserts this number of rows, and ends or deletes them. */
  churn(rows: number): Promise<void>
  /** Adds rows for the probe. */
  prepare?(): Promise<unknown>
  /** Claims or lists rows once. */
  probe(): Promise<unknown>
}

export async function inBatches(rows: number, size: number, lanes: number, work: (count: number) => Promise<unknown>) {
  let left = rows
  const lane = async () => {
    while (left > 0) {
      const count = Math.min(size, left)
      left -= count
      await work(count)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
