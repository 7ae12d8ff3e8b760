import type { Db } from '#sql/db.ts'
import * as readings from '#sql/identity/readings.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { readDocument } from '../read-document.ts'

type Pictured = Pick<readings.Reading, 'org_id' | 'object_id'>

const enqueueReading = (tx: Db, { org_id, object_id }: Pictured) =>
  enqueue(tx, readDocument, { objectId: object_id }, { orgId: org_id })

/** Requests a reading of an image, unless a reading already exists. */
export async function requestReading(tx: Db, picture: { orgId: string; objectId: string }): Promise<readings.Reading> {
  const { reading, isNew } = await readings.request(tx, picture)
  if (isNew) await enqueueReading(tx, reading)
  return reading
}

/** Requests another reading, for example after a reader was installed. If a reading is pending, it continues. */
export async function readAgain(tx: Db, picture: { orgId: string; objectId: string; subject: string }): Promise<void> {
  await requestReading(tx, picture)
  await readings.recordSubmission(tx, picture.objectId, picture.subject)
  const again = await readings.requestAgain(tx, picture.objectId)
  if (again) await enqueueReading(tx, again)
}
