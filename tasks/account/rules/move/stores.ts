import { newId } from '#lib/ids.ts'
import type { Side } from './plan.ts'

/**
 * True if both cells use the same bucket, possibly under different names: an object written by one is visible to the
 * other. Otherwise, deleting the rows of the old cell would delete objects of the new one.
 */
export async function useSameBucket({ storage: a }: Side, { storage: b }: Side): Promise<boolean> {
  if (a === undefined || b === undefined) return true
  // A prefix whose lifecycle rule deletes the object if the process dies.
  const key = `incoming/probe-${newId()}`
  await a.put(key, Buffer.from('move'), { contentType: 'text/plain' })
  try {
    return (await b.head(key)) !== null
  } finally {
    await a.remove(key)
  }
}
