import type { Db } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import type { StatusChange } from '#sql/whatsapp/templates.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'

/** Sends a webhook about template reviews to every organisation with a number of the account. */
export async function emitTemplates(tx: Db, accountId: string, changed: readonly StatusChange[]): Promise<void> {
  if (changed.length === 0) return
  const orgs = new Set((await numbers.listByAccount(tx, accountId)).map(({ org_id }) => org_id))
  await emitMany(
    tx,
    [...orgs].flatMap((orgId) =>
      changed.map(({ provider_id, name, language, category, status, before, reason }) => ({
        orgId,
        type: 'whatsapp.template.changed' as const,
        data: { id: provider_id, name, language, category, status, previous_status: before, reason },
      })),
    ),
  )
}
