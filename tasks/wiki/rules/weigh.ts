import { setImmediate } from 'node:timers/promises'
import type { Db } from '#sql/db.ts'
import * as entities from '#sql/wiki/entities.ts'
import * as references from '#sql/wiki/references.ts'
import { valueFinder } from './names-value.ts'
import { normaliseText } from './normal-text.ts'

const atOnce = 20

export async function verifyPendingQuotes(tx: Db, snapshotId: string): Promise<void> {
  await references.verifyQuotes(tx, snapshotId, await weigh(tx, await references.listForCheck(tx, { snapshotId })))
}

export async function recheckEntityQuotes(tx: Db, entityId: string): Promise<void> {
  await references.setNamesValue(tx, await weigh(tx, await references.listForCheck(tx, { entityId })))
}

async function weigh(tx: Db, given: readonly references.WeighedReference[]) {
  const byEntity = new Map<string, (quote: string) => boolean>()
  const finderOf = async (value: references.WeighedReference['value']) => {
    if (value.type !== 'entity') return valueFinder(value)
    const id = String(value.content)
    const known = byEntity.get(id) ?? valueFinder({ ...value, names: await entities.namesOf(tx, id) })
    byEntity.set(id, known)
    return known
  }
  const found: { id: string; normal_quote: string; names_value: boolean }[] = []
  for (const [i, { id, quote, value }] of given.entries()) {
    if (i % atOnce === atOnce - 1) await setImmediate()
    const isIn = await finderOf(value)
    found.push({ id, normal_quote: normaliseText(quote), names_value: isIn(quote) })
  }
  return found
}
