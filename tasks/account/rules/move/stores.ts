import { newId } from '#lib/ids.ts'
import type { Side } from './plan.ts'

/**
 * True if both cells use the same bucket, even if its names differ: an object written by one cell is visible to the
 * other. If this were not detected, deleting the rows of the old cell would delete objects of the new cell.
 */
export async function useSameBucket({ storage: a }: Side, { storage: b }: Side): Promise<boolean> {
  if (a === undefined || b === undefined) return true
  // If the process dies, the lifecycle rule for this prefix deletes the object.
  const key = `incoming/probe-${newId()}`
  await a.put(key, Buffer.from('move'), { contentType: 'text/plain' })
  try {
    return (await b.head(key)) !== null
  } finally {
    await a.remove(key)
  }
}
