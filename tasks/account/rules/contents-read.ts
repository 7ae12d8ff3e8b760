import { appendUnlessSaid } from '#sql/account/audit.ts'
import type { DatabasePool } from '#sql/db.ts'
import { actOf, type Doer } from './doer.ts'

/** Minutes within which somebody who looks at the same thing again is told of no second time. */
export const quietMinutes = 10

/** Whose contents are read: what kind of thing it is, and its id. */
export interface Looked {
  kind: 'event' | 'file' | 'live_channel' | 'push_message' | 'request' | 'test_message' | 'video' | 'webhook_answer'
  /** Without one, a list of them. */
  id?: string | undefined
}

/** Says in the audit log that a member is about to be shown contents; call it before they are. */
export async function tellContentsRead(db: DatabasePool, doer: Doer, { kind, id }: Looked): Promise<void> {
  const act = { ...actOf(doer), action: 'contents.read', target: id ?? kind, after: { kind } }
  await db.transaction((tx) => appendUnlessSaid(tx, act, quietMinutes))
}
