import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import { listUsingEvidence } from '#sql/wiki/claims.ts'
import * as rows from '#sql/wiki/snapshots.ts'
import * as sources from '#sql/wiki/sources.ts'
import { capture } from '#tasks/wiki/capture.ts'
import { snapshotKey } from '#tasks/wiki/rules/keys.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { keepProven, wouldUnprove } from './keep-proven.ts'
import { planExceeded, requestSnapshotsWithinPlan } from './request-snapshots.ts'
import { presentSnapshot, Snapshot } from './snapshot-view.ts'

const downloadSeconds = 300

const ofSource = z.object({ id: pathId('source') })
const params = z.object({ id: pathId('snapshot') })

const notCaptured = problem(409, 'not_captured', 'The snapshot does not have this content. `status` shows its state.')

export const create = route({
  method: 'POST',
  path: '/sources/{id}/snapshots',
  summary: 'Take a snapshot of a source',
  description:
    'A worker fetches the source (up to 5 MiB, only public addresses) and stores its content and readable text. If a snapshot is already pending, it is returned. If the content is unchanged, the new ID leads to the existing snapshot, and `last_checked_at` shows the time.',
  scope: 'wiki:write',
  idempotent: true,
  enqueues: capture,
  params: ofSource,
  body: z.strictObject({}),
  status: 200,
  reply: Snapshot,
  problems: ['not_found', planExceeded],
  async handle({ params, org, plan, db }) {
    const source = await mustFind(sources.find(db, org.id, params.id), 'source')
    const [snapshot] = await requestSnapshotsWithinPlan(db, org.id, plan, [source.id])
    if (!snapshot) throw new Error('The requested snapshot does not exist.')
    return presentSnapshot(snapshot)
  },
})

export const list = listRoute({
  path: '/sources/{id}/snapshots',
  summary: 'List snapshots of a source, newest first',
  description: 'Returns each capture of the source with its HTTP status, size and hash.',
  scope: 'wiki:read',
  reads: 'replica',
  params: ofSource,
  problems: ['not_found'],
  item: Snapshot,
  async rows({ params, org, db }, page) {
    const source = await mustFind(sources.find(db, org.id, params.id), 'source')
    return await rows.list(db, source.id, page)
  },
  present: presentSnapshot,
})

export const read = route({
  method: 'GET',
  path: '/snapshots/{id}',
  summary: 'Read a snapshot',
  description: 'Returns the status of the capture, its hash, and the error if it failed.',
  scope: 'wiki:read',
  params,
  status: 200,
  reply: Snapshot,
  problems: ['not_found'],
  async handle({ params, org, db }) {
    return presentSnapshot(await mustFind(rows.find(db, org.id, params.id), 'snapshot'))
  },
})

export const text = route({
  method: 'GET',
  path: '/snapshots/{id}/text',
  summary: 'Read the text of a snapshot',
  description:
    'Returns the text that quotes must match. Only authors can read it, because the text belongs to the source.',
  scope: 'wiki:write',
  params,
  status: 200,
  reply: z.object({ snapshot_id: Id, text: z.string() }),
  problems: ['not_found', notCaptured],
  async handle({ params, org, db }) {
    const { id, status } = await mustFind(rows.find(db, org.id, params.id), 'snapshot')
    const found = await rows.findText(db, id)
    if (found === null) throw notCaptured('The snapshot has no text.', { status })
    return { snapshot_id: id, text: found }
  },
})

export const downloadUrl = route({
  method: 'POST',
  path: '/snapshots/{id}/download-url',
  repeatable: true,
  summary: 'Create a download URL for a snapshot',
  description: 'Browsers save the file and never display it, because it comes from an untrusted server.',
  scope: 'wiki:write',
  params,
  body: z.strictObject({}),
  status: 200,
  reply: z.object({
    snapshot_id: Id,
    download_url: secret(z.url()),
    size: z.int(),
    sha256: z.string(),
    expires_in_seconds: z.int(),
    expires_at: Instant,
  }),
  problems: ['not_found', notCaptured],
  async handle({ params, org, db, services }) {
    const { id, status, sha256, size, bytes_pruned_at } = await mustFind(rows.find(db, org.id, params.id), 'snapshot')
    if (bytes_pruned_at)
      throw notCaptured('The content of this snapshot was deleted because no claim cites it.', { status })
    if (sha256 === null || size === null) throw notCaptured(`The snapshot has the status ${status}.`, { status })
    const as = { filename: `${sha256}.bin`, type: 'application/octet-stream' }
    return {
      snapshot_id: id,
      download_url: await services(storage).signSave(snapshotKey(org.id, sha256), downloadSeconds, as),
      size,
      sha256,
      expires_in_seconds: downloadSeconds,
      expires_at: new Date(Date.now() + downloadSeconds * 1000),
    }
  },
})

export const remove = removeRoute({
  path: '/snapshots/{id}',
  summary: 'Delete a snapshot',
  description:
    'Deletes the snapshot, its content and references to it. Rejected while the snapshot is pending, or if a published article would lose its proof.',
  scope: 'wiki:write',
  params,
  problems: ['conflict', wouldUnprove],
  what: 'snapshot',
  remove: async ({ params: { id }, org, db }) => {
    const { status } = await mustFind(rows.lockForRemoval(db, org.id, id), 'snapshot')
    if (status === 'pending') throw conflict('The snapshot is pending. Delete it when it is complete.')
    await keepProven(db, { claimIds: await listUsingEvidence(db, { snapshotId: id }) }, () => rows.remove(db, id))
  },
})
