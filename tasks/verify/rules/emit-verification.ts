import type { Db } from '#sql/db.ts'
import type { Verification } from '#sql/verify/verifications.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { maskRecipient } from './recipients.ts'

export type VerificationEvent =
  | 'verify.sent'
  | 'verify.approved'
  | 'verify.failed'
  | 'verify.expired'
  | 'verify.canceled'
  | 'verify.undeliverable'

/** Sends the webhook of a verification. It contains neither the code nor the complete recipient. */
export async function emitVerification(tx: Db, type: VerificationEvent, verification: Verification): Promise<void> {
  const { id, org_id, shown, channel, recipient, user_id, metadata, attempts, sends, reason, sandbox } = verification
  await emit(tx, org_id, type, {
    id,
    status: shown,
    channel,
    to: maskRecipient(recipient),
    user_id,
    metadata,
    attempts,
    sends,
    reason,
    ...(sandbox && { sandbox: true as const }),
  })
}
