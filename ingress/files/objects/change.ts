import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import * as audit from '#sql/account/audit.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/files/changes.ts'
import * as objects from '#sql/files/objects.ts'
import * as settings from '#sql/files/settings.ts'
import { getServedVersion } from '#sql/files/versions.ts'
import { dependsOnName } from '#tasks/files/rules/renaming.ts'
import { requestScan, scan } from '#tasks/files/scan.ts'
import { type ActingCall, actorOfCall } from '../../http/acting.ts'
import { mustFind } from '../../http/must-find.ts'
import { problem } from '../../http/problem-kinds.ts'
import { maxMetadataEntries, mergeMetadata } from '../../http/request/metadata.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { hasOneExpiry, objectChangeFields, oneExpiry, readExpiry } from '../fields.ts'
import { getOwner, tenant_id } from '../owner.ts'
import { FileObject, present } from '../present.ts'
import { UploadFacts } from '../uploads.ts'

const changed = problem(409, 'conflict', 'The object was renamed or deleted by another request at the same time.')

const Changes = z.strictObject({
  filename: UploadFacts.shape.filename.optional().describe('New name. Only the version of the ID is renamed.'),
  visibility: objects.Visibility.optional(),
  ...objectChangeFields,
  tenant_id,
})

type Changes = z.output<typeof Changes>

const hasChange = ({ tenant_id: _, ...changes }: Changes) => Object.values(changes).some((value) => value !== undefined)

export const update = route({
  method: 'PATCH',
  path: '/objects/{id}',
  summary: 'Rename, move or change an object',
  description:
    'Changes the fields that you send. The content and its URLs stay the same. With the ID of the object, renames its served version. If the ending of the name changes, the object is scanned again and is `pending` until then, because the verdict depends on the name. If `visibility` becomes `private`, the URLs of all versions stop working immediately, and downloads in progress end within 5 seconds.',
  scope: 'files:write',
  locks: ['tenant_id'],
  params: z.object({ id: pathId('object') }),
  body: Changes.refine(hasChange, { error: 'must contain at least one field' }).refine(hasOneExpiry, oneExpiry),
  status: 200,
  reply: FileObject,
  problems: ['not_found', changed],
  example: { body: { filename: 'invoice-1042.pdf', folder: 'invoices/2026', metadata: { order: '1042' } } },
  enqueues: scan,
  async handle({ params, body, org, key, actor, requestId, ip, db, origin }) {
    const owner = getOwner({ org, key }, body.tenant_id)
    const asked = await mustFind(objects.find(db, owner, params.id), 'object')
    const named = body.filename === undefined ? asked : await getServedVersion(db, asked)
    await db.transaction((tx) => apply(tx, named, body, { org, key, actor, requestId, ip }))
    return await present(db, await mustFind(objects.find(db, owner, params.id), 'object'), origin)
  },
})

async function apply(tx: Db, before: objects.FileObject, body: Changes, call: ActingCall): Promise<void> {
  const { filename, visibility } = body
  // Scans are locked before their objects, as by a verdict.
  if (filename !== undefined && dependsOnName(before, filename)) await requestScan(tx, before)
  const now = await mustFind(rows.lock(tx, before.org_id, before.id), 'object')
  if (now.filename !== before.filename) throw changed(changed.when)
  if (filename !== undefined) await rows.rename(tx, before.id, filename)
  if (visibility !== undefined && visibility !== now.visibility) await setVisibility(tx, now, visibility, call)
  await rows.changeObject(tx, before.version_of ?? before.id, {
    metadata: body.metadata === undefined ? undefined : merged(now, body.metadata),
    folder: body.folder,
    expires_at: readExpiry(body),
  })
}

async function setVisibility(
  tx: Db,
  { id, version_of, visibility: before }: objects.FileObject,
  visibility: objects.Visibility,
  call: ActingCall,
): Promise<void> {
  const target = version_of ?? id
  await settings.setVisibility(tx, target, visibility)
  const act = { action: 'file.updated', target, before: { visibility: before }, after: { visibility } }
  await audit.append(tx, { ...actorOfCall(call), ...act })
}

function merged({ metadata }: objects.FileObject, change: NonNullable<Changes['metadata']> | null) {
  const after = mergeMetadata(metadata, change)
  if (Object.keys(after).length > maxMetadataEntries) {
    const issue = `must not have more than ${maxMetadataEntries} entries after the change`
    throw badRequest([{ field: 'body.metadata', issue }])
  }
  return after
}
