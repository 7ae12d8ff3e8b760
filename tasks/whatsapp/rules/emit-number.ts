import type { Db } from '#sql/db.ts'
import type { Facts } from '#sql/whatsapp/business-numbers.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'

export async function emitNumber(tx: Db, what: 'connected' | 'removed', number: Facts): Promise<void> {
  const { id, org_id, phone_number_id, account_id, display_phone, verified_name } = number
  await emitMany(tx, [
    {
      orgId: org_id,
      type: `whatsapp.number.${what}`,
      data: { id, phone_number_id, business_account_id: account_id, display_phone, verified_name },
    },
  ])
}
