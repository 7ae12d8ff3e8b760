import * as audit from '#sql/account/audit.ts'
import type { Db } from '#sql/db.ts'
import { toAct } from '#tasks/account/rules/doer.ts'
import { type ActingCall, actorOfCall } from '../http/acting.ts'

type Entry = Pick<audit.Act, 'action' | 'before' | 'after'> & { target: string }

const isRemoval = (action: string) => action.endsWith('.deleted')

/**
 * Adds an entry to the audit log of the organisation, as the last step of the transaction. Keys and portals make so many
 * changes that they would use the limit of the audit log, so only their deletions have entries. Their other changes are in
 * the request log.
 */
export async function record(tx: Db, call: ActingCall, entry: Entry): Promise<void> {
  if (call.actor.kind === 'user' || isRemoval(entry.action))
    await audit.append(tx, { ...toAct(actorOfCall(call)), ...entry })
}
