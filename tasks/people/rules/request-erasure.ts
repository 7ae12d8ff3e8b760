import { append } from '#sql/account/audit.ts'
import type { Db } from '#sql/db.ts'
import * as erasures from '#sql/people/erasures.ts'
import { findKeys, mergeKeys, type PersonName } from '#sql/people/keys.ts'
import { type Doer, toAct } from '../../account/rules/doer.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { erase } from '../erase.ts'

/**
 * Requests the erasure of a person, once. It continues failed erasures, whose rows no longer have the ID of the person. The audit log gets the ID of the erasure, because its entries cannot be deleted.
 */
export async function requestErasure(
  tx: Db,
  doer: Doer,
  person: PersonName,
  reason: string | null,
): Promise<erasures.Erasure> {
  const unfinished = await erasures.listUnfinishedKeys(tx, person)
  const keys = unfinished.reduce(mergeKeys, await findKeys(tx, person))
  const { erasure, isNew } = await erasures.add(tx, { keys, reason, requestedBy: doer.actor.name })
  if (!isNew) return erasure
  await enqueue(tx, erase, { erasureId: erasure.id }, { orgId: person.org_id })
  await append(tx, { ...toAct(doer), action: 'person.erasure_requested', target: erasure.id })
  return erasure
}
