import type { Db } from '#sql/db.ts'
import type { FileObject } from '#sql/files/objects.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'

/** Sends an event for each expired object. Its later versions have no separate events. */
export async function emitExpired(tx: Db, deleted: readonly FileObject[]): Promise<void> {
  const expired = deleted.filter(({ version_of }) => version_of === null)
  await emitMany(
    tx,
    expired.map((object) => {
      const { id, product_key, tenant_id, filename, folder, metadata, expires_at } = object
      const facts = { object_id: id, product_key, tenant_id, filename, folder, metadata }
      return {
        orgId: object.org_id,
        type: 'files.object.expired',
        data: { ...facts, expires_at: (expires_at ?? new Date()).toISOString() },
      }
    }),
  )
}
