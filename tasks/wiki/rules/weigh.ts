import { setImmediate } from 'node:timers/promises'
import type { Db } from '#sql/db.ts'
import * as entities from '#sql/wiki/entities.ts'
import * as references from '#sql/wiki/references.ts'
import { valueFinder } from './names-value.ts'
import { normalText } from './normal-text.ts'

const atOnce = 20

export async function settleQuotes(tx: Db, snapshotId: string): Promise<void> {
  await references.settle(tx, snapshotId, await weigh(tx, await references.weighed(tx, { snapshotId })))
}

export async function weighNames(tx: Db, entityId: string): Promise<void> {
  await references.setNamesValue(tx, await weigh(tx, await references.weighed(tx, { entityId })))
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
    found.push({ id, normal_quote: normalText(quote), names_value: isIn(quote) })
  }
  return found
}
