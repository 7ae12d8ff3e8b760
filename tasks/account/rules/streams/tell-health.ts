import type { Target } from '#sql/account/streams/streams.ts'
import type { Db } from '#sql/db.ts'
import { enqueue } from '../../../queue/enqueue.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { mailStream } from '../../mail-stream.ts'

/** Notifies webhooks and owners that a stream has been failing for some time. */
export async function tellFailing(
  tx: Db,
  { id, org_id, name, kind }: Target,
  { since, error }: { since: Date; error: string },
): Promise<void> {
  const data = { stream_id: id, name, kind, failing_since: since.toISOString(), error }
  await emit(tx, org_id, 'account.stream.failing', data)
  await enqueue(tx, mailStream, { streamId: id, orgId: org_id }, { orgId: org_id })
}

/** Notifies webhooks that a stream works again after failures that were reported. */
export async function tellRecovered(tx: Db, { id, org_id, name, kind }: Target, since: Date | null): Promise<void> {
  const failing_since = (since ?? new Date()).toISOString()
  await emit(tx, org_id, 'account.stream.recovered', { stream_id: id, name, kind, failing_since })
}
