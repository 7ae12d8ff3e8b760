import { setImmediate as nextTurn } from 'node:timers/promises'

const turnMs = 5

/** Maps many items. Regularly pauses so that the process can do other work. */
export async function mapInTurns<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Made,
): Promise<Made[]> {
  const made: Made[] = []
  await everyInTurns(items, (item, index) => made.push(make(item, index)) > 0)
  return made
}

/**
 * Calls `work` for each item until it returns false. Returns true if it never returned false. Regularly pauses so that
 * the process can do other work.
 */
export async function everyInTurns<Item>(
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
