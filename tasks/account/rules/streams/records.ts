import type { z } from 'zod'
import { getIdTime } from '#lib/ids.ts'
import * as records from '#sql/account/streams/records.ts'
import type { Source, Target } from '#sql/account/streams/streams.ts'
import type { Db } from '#sql/db.ts'
import { isMatchingType } from '../../../webhooks/rules/wants.ts'
import type { StreamRecord } from './engine.ts'

/** Row of a source: its record, or null if the stream does not want it. `isLost` if its content was deleted. */
interface Row {
  number: number
  record: StreamRecord | null
  isLost: boolean
}

type Filtered = Pick<Target, 'org_id' | 'event_types' | 'request_classes'>

/** Reads rows of a source after a number. */
export async function readRows(db: Db, source: Source, target: Filtered, part: records.Part): Promise<readonly Row[]> {
  if (source === 'audit') return (await records.listAudit(db, part)).map(fromAudit)
  if (source === 'events') return (await records.listEvents(db, part)).map((row) => fromEvent(row, target))
  return (await records.listRequests(db, part)).map((row) => fromRequest(row, target))
}

function fromAudit(row: z.infer<typeof records.AuditRecord>): Row {
  const { record_number, org_id, id, created_at, actor_kind, actor_id, actor_name, ...rest } = row
  const actor = { kind: actor_kind, id: actor_id, name: actor_name }
  const time = created_at.toISOString()
  const record = {
    id,
    source: 'audit',
    time,
    type: rest.action,
    organisation_id: org_id,
    data: { ...rest, actor },
  } as const
  return { number: record_number, record, isLost: false }
}

function fromEvent({ record_number, ...row }: z.infer<typeof records.EventRecord>, target: Filtered): Row {
  const { id, type, data, created_at } = row
  if (type === null || data === null || created_at === null)
    return { number: record_number, record: null, isLost: true }
  const isWanted = target.event_types.some((pattern) => isMatchingType(pattern, type))
  const time = created_at.toISOString()
  const record = { id, source: 'events', time, type, organisation_id: target.org_id, data } as const
  return { number: record_number, record: isWanted ? record : null, isLost: false }
}

function fromRequest(
  { record_number, found, id, ...row }: z.infer<typeof records.RequestRecord>,
  target: Filtered,
): Row {
  if (!found) return { number: record_number, record: null, isLost: true }
  const { jobs: _, error, status = 0, operation = '', ...rest } = row
  const data = { ...rest, status, operation, fields: error?.fields ?? [] }
  const time = new Date(getIdTime(id)).toISOString()
  const record = { id, source: 'requests', time, type: operation, organisation_id: target.org_id, data } as const
  const isWanted = target.request_classes.includes(Math.floor(status / 100))
  return { number: record_number, record: isWanted ? record : null, isLost: false }
}

/** Returns the record that stands for records that were deleted before they were sent. */
export const toGap = (
  { id, org_id }: Pick<Target, 'id' | 'org_id'>,
  source: Source,
  { from, to }: { from: number; to: number },
): StreamRecord => ({
  id: `gap-${id}-${source}-${from}-${to}`,
  source,
  time: new Date().toISOString(),
  type: 'stream.gap',
  organisation_id: org_id,
  data: {
    stream_id: id,
    records: to - from + 1,
    reason: 'These records were deleted before the stream could send them.',
  },
})

/** Returns the record of a test, and of a check whether the server accepts records at all. */
export const toSample = (
  { id, org_id }: Pick<Target, 'id' | 'org_id'>,
  source: Source,
  sampleId: string,
): StreamRecord => ({
  id: sampleId,
  source,
  time: new Date().toISOString(),
  type: 'stream.test',
  organisation_id: org_id,
  data: { stream_id: id, note: 'This is a test. Nothing has happened.' },
})
