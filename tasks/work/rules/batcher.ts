import { writeInHalves } from '#lib/splitting.ts'

interface BatchWriter<Item, Result> {
  /** Maximum number of items per call of `write`. */
  most: number
  /** Maximum number of calls at the same time. While all run, further items wait for the next call. */
  atOnce: number
  /** Returns a result for each item, in order. */
  write(items: readonly Item[]): Promise<readonly Result[]>
  /** True if an item can have caused the error. Then the batch is split until the bad item is alone. */
  isOnes(error: unknown): boolean
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Returns a function that writes items together. Items that arrive during a call form the next batch, so a batch is
 * small if items are rare, and large under load.
 */
export function createBatcher<Item, Result>(how: BatchWriter<Item, Result>): (item: Item) => Promise<Result> {
  const line: Waiting<Item, Result>[] = []
  let running = 0
  let isPlanned = false

  function plan(): void {
    if (isPlanned || running >= how.atOnce || line.length === 0) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      void start()
      plan()
    })
  }

  async function start(): Promise<void> {
    const batch = line.splice(0, how.most)
    if (batch.length === 0) return
    running++
    try {
      await writeInHalves(batch, {
        async write(part) {
          const results = await how.write(part.map(({ item }) => item))
          for (const [i, { resolve }] of part.entries()) resolve(results[i] as Result)
        },
        isOnes: how.isOnes,
        failed(part, error) {
          for (const { reject } of part) reject(error)
        },
      })
    } finally {
      running--
      plan()
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      line.push({ item, resolve, reject })
      plan()
    })
}
