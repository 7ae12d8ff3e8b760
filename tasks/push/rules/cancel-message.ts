import type { Db } from '#sql/db.ts'
import * as cancellations from '#sql/push/cancellations.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { cancelRest } from '../cancel-rest.ts'

export async function cancelMessage(tx: Db, orgId: string, messageId: string): Promise<boolean> {
  if (!(await cancellations.cancel(tx, orgId, messageId))) return false
  await enqueue(tx, cancelRest, { messageId }, { orgId })
  return true
}
