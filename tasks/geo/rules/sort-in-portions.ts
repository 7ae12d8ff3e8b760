import { setImmediate as breathe } from 'node:timers/promises'

/** Sorts values without holding the event loop: after each portion, other work continues. */
export async function sortInPortions<T extends bigint | string>(values: readonly T[], portion: number): Promise<T[]> {
  let runs: T[][] = []
  for (let i = 0; i < values.length; i += portion) {
    await breathe()
    runs.push(values.slice(i, i + portion).sort((one, other) => (one < other ? -1 : one > other ? 1 : 0)))
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let i = 0; i < runs.length; i += 2) merged.push(await merge(runs[i] ?? [], runs[i + 1] ?? [], portion))
    runs = merged
  }
  return runs[0] ?? []
}

async function merge<T extends bigint | string>(a: readonly T[], b: readonly T[], portion: number): Promise<T[]> {
  const merged: T[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (merged.length % portion === 0) await breathe()
    const [one, other]: [T | undefined, T | undefined] = [a[i], b[j]]
    if (one !== undefined && (other === undefined || one <= other)) {
      merged.push(one)
      i++
    } else if (other !== undefined) {
      merged.push(other)
      j++
    }
  }
  return merged
}
