import { z } from 'zod'
import * as audit from '#sql/account/audit.ts'
import * as rows from '#sql/files/objects.ts'
import * as settings from '#sql/files/settings.ts'
import { actorOfCall } from '../http/acting.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { getOwner, tenant_id } from './owner.ts'
import { FileObject, present } from './present.ts'

export const update = route({
  method: 'PATCH',
  path: '/objects/{id}',
  summary: 'Update the visibility of an object',
  description:
    'Applies to all versions of the object. If it becomes `private`, its URLs stop working immediately, and downloads in progress end within 5 seconds. The ID of a later version returns `404`.',
  scope: 'files:write',
  locks: ['tenant_id'],
  params: z.object({ id: pathId('object') }),
  body: z.strictObject({ visibility: rows.Visibility, tenant_id }),
  status: 200,
  reply: FileObject,
  problems: ['not_found'],
  example: { body: { visibility: 'public' } },
  async handle({ params: { id }, body: { visibility, tenant_id }, org, key, actor, requestId, ip, db, origin }) {
    const owner = getOwner({ org, key }, tenant_id)
    await db.transaction(async (tx) => {
      const before = await mustFind(settings.lock(tx, owner, id), 'object')
      if (before.visibility === visibility) return
      await settings.setVisibility(tx, id, visibility)
      const act = {
        action: 'file.updated',
        target: id,
        before: { visibility: before.visibility },
        after: { visibility },
      }
      await audit.append(tx, { ...actorOfCall({ org, key, actor, requestId, ip }), ...act })
    })
    return await present(db, await mustFind(rows.find(db, owner, id), 'object'), origin)
  },
})
