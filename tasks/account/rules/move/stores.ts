import { newId } from '#lib/ids.ts'
import type { Side } from './plan.ts'

/**
 * Whether both cells keep their objects in one bucket, whatever names they have for it: what is put there by one is seen by the other.
 * Taken for two, the deletion of the old cell's rows would take the objects of the new one.
 */
export async function haveOneStore({ storage: a }: Side, { storage: b }: Side): Promise<boolean> {
  if (a === undefined || b === undefined) return true
  // Where the rules of the bucket see to what a process leaves that dies in between.
  const key = `incoming/probe-${newId()}`
  await a.put(key, Buffer.from('move'), { contentType: 'text/plain' })
  try {
    return (await b.head(key)) !== null
  } finally {
    await a.remove(key)
  }
}
