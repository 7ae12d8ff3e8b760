import { normalText } from '#lib/normal-text.ts'
import type { Db } from '#sql/db.ts'
import * as references from '#sql/wiki/references.ts'
import { namesValue } from './names-value.ts'

const weigh = ({ id, quote, value, names }: references.Weighed) => ({
  id,
  normal_quote: normalText(quote),
  names_value: namesValue(quote, { ...value, names }),
})

/** Has a snapshot that was captured verify the quotes that wait for it. */
export async function settleQuotes(tx: Db, snapshotId: string): Promise<void> {
  await references.settle(tx, snapshotId, (await references.weighed(tx, { snapshotId })).map(weigh))
}

/** Weighs anew the quotes of claims whose value is an entity, after its names have changed. */
export async function weighNames(tx: Db, entityId: string): Promise<void> {
  await references.setNamesValue(tx, (await references.weighed(tx, { entityId })).map(weigh))
}
