import { z } from 'zod'
import * as objects from '#sql/files/objects.ts'
import * as scans from '#sql/files/scans.ts'
import { awaitVerdict } from '#tasks/files/rules/await-verdict.ts'
import { requestScan, scan } from '#tasks/files/scan.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { stopping } from '../http/services.ts'
import { getOwner, tenant_id } from './owner.ts'
import { FileObject, present, Scan } from './present.ts'

const params = z.object({ id: pathId('object') })

const mostScans = 50

const noBytes = problem(
  409,
  'no_bytes',
  'The object has no content. Its file was not uploaded, or was deleted after the quarantine.',
)

export const request = route({
  method: 'POST',
  path: '/objects/{id}/scan',
  summary: 'Scan an object again',
  description:
    'The object is `pending` and cannot be downloaded until the scan has a verdict. The request waits up to 2.5 seconds for the verdict. If an infected object is now found to be clean, it is released from quarantine.',
  scope: 'files:write',
  locks: ['tenant_id'],
  params,
  body: z.strictObject({ tenant_id }),
  status: 200,
  reply: FileObject,
  problems: ['not_found', noBytes],
  enqueues: scan,
  async handle({ params, body, org, key, db, services, origin }) {
    const owner = getOwner({ org, key }, body.tenant_id)
    const object = await mustFind(objects.find(db, owner, params.id), 'object')
    const asked = object.place !== 'incoming' && (await db.transaction((tx) => requestScan(tx, object)))
    if (!asked) {
      throw noBytes(`The object is ${object.scan_status} and has no content to scan.`, {
        scan_status: object.scan_status,
      })
    }
    const now = await mustFind(objects.find(db, owner, params.id), 'object')
    return await present(db, await awaitVerdict(db, now, services(stopping)), origin)
  },
})

export const list = route({
  method: 'GET',
  path: '/objects/{id}/scans',
  summary: `List the latest ${mostScans} scans of an object`,
  description: 'Each scan contains its cause, its result and the version of the signatures that were used.',
  scope: 'files:read',
  locks: ['tenant_id'],
  params,
  query: z.object({ tenant_id }),
  status: 200,
  reply: z.object({ data: z.array(Scan) }),
  problems: ['not_found'],
  async handle({ params, query, org, key, db }) {
    const object = await mustFind(objects.find(db, getOwner({ org, key }, query.tenant_id), params.id), 'object')
    const found = await scans.history(db, object.id, mostScans)
    return { data: found.map(({ id, ...scan }) => ({ ...scan, scan_id: id })) }
  },
})
