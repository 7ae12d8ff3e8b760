import type { Db } from '#sql/db.ts'
import * as calls from '#sql/voice/calls.ts'
import { acceptSpokenCall } from '../../../voice/rules/accept-spoken-call.ts'
import { recordTestCall } from '../../../voice/rules/test-calls.ts'
import { getTexts, pickLocale } from '../texts.ts'
import type { CodeChannel, CodeMessage, DeliveryReport, SendOutcome } from './channel.ts'

/** A fictional number that no telephone has. Calls of test keys come from it. */
const fictional = '+12025550100'

async function send(tx: Db, { verification, code }: CodeMessage): Promise<SendOutcome> {
  const { id, org_id: orgId, key_id: keyId, sandbox, recipient: to, brand, locale } = verification
  const metadata = { verification_id: id }
  if (sandbox) {
    if (keyId === null) return { refused: 'key_revoked' }
    const limits = { ringTimeoutSeconds: 30, maxDurationSeconds: 60 }
    const spoken = { ...metadata, code }
    const call = await recordTestCall(tx, {
      orgId,
      keyId,
      from: fictional,
      to,
      callerId: fictional,
      metadata: spoken,
      ...limits,
    })
    return { messageId: call.id }
  }
  const speech = { language: pickLocale(locale), intro: getTexts(locale).spoken(brand), digits: code }
  const accepted = await acceptSpokenCall(tx, { orgId, keyId, to, speech, metadata })
  return 'callId' in accepted ? { messageId: accepted.callId } : { refused: accepted.refused }
}

async function report(db: Db, orgId: string, messageId: string): Promise<DeliveryReport | null> {
  const call = await calls.find(db, orgId, messageId)
  if (!call) return null
  if (call.status === 'completed') return { delivery: 'delivered', reason: null }
  if (call.ended_at !== null) return { delivery: 'failed', reason: call.reason ?? call.status }
  return { delivery: call.status === 'queued' ? 'queued' : 'sent', reason: null }
}

export const voice: CodeChannel = { send, report }
