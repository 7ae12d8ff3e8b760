import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds for which one piece of work holds the event loop before other work has its turn. */
const turnMs = 5

/** Returns what an item is made into, for each of many; other work of the process has its turns meanwhile. */
export async function mapInTurns<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Made,
): Promise<Made[]> {
  const made: Made[] = []
  await whileInTurns(items, (item, index) => made.push(make(item, index)) > 0)
  return made
}

/** Does work with each item until it returns false, and returns whether it never did; other work has its turns meanwhile. */
export async function whileInTurns<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => boolean,
): Promise<boolean> {
  let start = performance.now()
  for (const [index, item] of items.entries()) {
    if (!work(item, index)) return false
    if (performance.now() - start < turnMs) continue
    await nextTurn()
    start = performance.now()
  }
  return true
}
