import { appendUnlessRecent } from '#sql/account/audit.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Doer, toAct } from './doer.ts'

/** Period in minutes in which repeated views of the same item are not recorded again. */
export const quietMinutes = 10

export interface ViewedContent {
  kind:
    | 'email'
    | 'event'
    | 'file'
    | 'hooks_message'
    | 'job'
    | 'live_channel'
    | 'person'
    | 'push_message'
    | 'received_email'
    | 'request'
    | 'test_message'
    | 'sms_message'
    | 'video'
    | 'webhook_answer'
    | 'whatsapp_conversation'
    | 'whatsapp_message'
  /** ID of the viewed item. Without an ID, the member views a list. */
  id?: string | undefined
}

/** Records in the audit log that a member views contents. Call it before you show the contents. */
export async function recordContentsRead(db: DatabasePool, doer: Doer, { kind, id }: ViewedContent): Promise<void> {
  const act = { ...toAct(doer), action: 'contents.read', target: id ?? kind, after: { kind } }
  await db.transaction((tx) => appendUnlessRecent(tx, act, quietMinutes))
}
