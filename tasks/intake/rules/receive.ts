import type { Seal } from '#lib/seal.ts'
import type { Db } from '#sql/db.ts'
import * as requests from '#sql/intake/requests.ts'
import * as sources from '#sql/intake/sources.ts'
import { type EmittedEvent, emitMany } from '../../webhooks/rules/emit.ts'
import { findRoom } from '../../work/rules/pending-limit.ts'
import { enqueueRelease } from '../release.ts'
import { forwardRequests } from './forward.ts'
import { lateMs } from './free-jobs.ts'

/** A request with a valid signature, before it is stored. */
export interface ReceivedRequest extends Omit<requests.NewRequest, 'status' | 'verified' | 'reason'> {
  /** True if the filter of the source accepts the request. */
  isWanted: boolean
  /** True if the organisation has too many waiting jobs. The request is held until it has fewer. */
  isLate: boolean
}

/** Result for one request: its ID, or the ID of the first request of the same event. Null if the source was deleted. */
export type Receipt = { id: string } | null

/**
 * Stores requests and creates their jobs. A request whose event is known is only counted. If the source is paused, the
 * request is held.
 */
export async function receiveRequests(
  tx: Db,
  received: readonly ReceivedRequest[],
  seal: Seal,
): Promise<readonly Receipt[]> {
  const held = await sources.hold(
    tx,
    received.map(({ source_id }) => source_id),
  )
  const rooms = await findRooms(
    tx,
    received.filter(({ source_id }) => held.get(source_id)?.forward && held.get(source_id)?.status === 'active'),
  )
  const rows = received.flatMap(({ isWanted, isLate, ...request }) => {
    const source = held.get(request.source_id)
    if (!source) return []
    const room = rooms.get(request.org_id) ?? 0
    const status = statusOf(source, isWanted, isLate || room <= 0)
    if (status === 'forwarded') rooms.set(request.org_id, room - 1)
    return [{ ...request, verified: true, reason: null, status }]
  })
  const added = await requests.insertMany(tx, rows)
  const fresh = rows.filter(({ id }) => added.has(id))
  const known = await requests.countDuplicates(
    tx,
    rows.filter(({ id }) => !added.has(id)),
  )
  const forwarded = fresh.filter(({ status }) => status === 'forwarded')
  await forwardRequests(tx, forwarded, held, { seal })
  await wakeReleases(tx, fresh, held)
  const events = fresh.map((one) => eventOf(one, held.get(one.source_id) as sources.Source))
  await emitMany(tx, events)
  return received.map(({ id, source_id, dedupe_key }) => {
    if (!held.has(source_id)) return null
    return { id: added.has(id) ? id : (known.get(`${source_id} ${dedupe_key}`) ?? id) }
  })
}

/** Returns how many jobs each organisation can create, so that further requests are held and not refused. */
async function findRooms(tx: Db, received: readonly ReceivedRequest[]): Promise<Map<string, number>> {
  const byOrg = Map.groupBy(received, ({ org_id }) => org_id)
  const rooms = new Map<string, number>()
  for (const [orgId, { length }] of byOrg) rooms.set(orgId, await findRoom(tx, orgId, length))
  return rooms
}

function statusOf({ forward, status }: sources.Source, isWanted: boolean, isLate: boolean): requests.Status {
  if (!isWanted) return 'filtered'
  if (forward === null) return 'stored'
  return status === 'active' && !isLate ? 'forwarded' : 'held'
}

/** Starts the release of requests that are held although their source is active. */
async function wakeReleases(
  tx: Db,
  fresh: readonly requests.NewRequest[],
  bySource: ReadonlyMap<string, sources.Source>,
): Promise<void> {
  const late = new Set(fresh.flatMap(({ status, source_id }) => (status === 'held' ? [source_id] : [])))
  for (const id of [...late].sort()) {
    const source = bySource.get(id)
    if (source?.status === 'active') await enqueueRelease(tx, source, new Date(Date.now() + lateMs))
  }
}

function eventOf(request: requests.NewRequest, source: sources.Source): EmittedEvent {
  const { id, org_id, source_id, event_id, event_type, status, content_type, size } = request
  const shown = { id, source_id, source_name: source.name, provider: source.provider }
  const data = { ...shown, event_id, event_type, status: status as 'forwarded', content_type, size }
  return { orgId: org_id, type: 'intake.request.received', data }
}

/** Maximum size of the stored body of a request with an invalid signature, in bytes. */
const rejectedBytes = 16 * 1024

/** Stores a sample of the requests with an invalid signature. Only the newest requests of a source are kept. */
export async function recordRejected(tx: Db, rejected: readonly requests.NewRequest[]): Promise<void> {
  const ids = new Set(rejected.map(({ source_id }) => source_id))
  const cut = rejected.map((one) => ({ ...one, body: one.body.subarray(0, rejectedBytes), dedupe_key: null }))
  const counts = [...ids].map((id) => ({ id, count: cut.filter(({ source_id }) => source_id === id).length }))
  await sources.countRejected(tx, counts)
  await requests.insertMany(tx, cut)
  await requests.trimRejected(tx, [...ids])
}
