import type { Db } from '#sql/db.ts'
import * as messages from '#sql/sms/messages.ts'
import { acceptMessages } from '../../../sms/rules/accept-messages.ts'
import { storeTestMessages } from '../../../sms/rules/test-messages.ts'
import { getTexts } from '../texts.ts'
import type { CodeChannel, CodeMessage, DeliveryReport, SendOutcome } from './channel.ts'

async function send(tx: Db, { verification, settings, code }: CodeMessage): Promise<SendOutcome> {
  const { id, org_id, key_id, sandbox, recipient, brand, locale } = verification
  const message = {
    ...{ org_id, key_id, phone: recipient, sender: settings.sms_sender, client_reference: `verify:${id}` },
    text: getTexts(locale).sms(brand, code),
    is_sensitive: true,
  }
  if (sandbox) {
    if (key_id === null) return { refused: 'key_revoked' }
    const [kept] = await storeTestMessages(tx, [{ keyId: key_id, message }])
    return { messageId: kept?.id as string }
  }
  const [accepted] = await acceptMessages(tx, [message])
  if (accepted && 'message' in accepted) return { messageId: accepted.message.id }
  return { refused: accepted && 'refused' in accepted ? accepted.refused.code : 'budget_reached' }
}

async function report(db: Db, orgId: string, messageId: string): Promise<DeliveryReport | null> {
  const found = await messages.find(db, orgId, messageId)
  if (!found) return null
  const { status, error } = found
  if (status === 'failed' || status === 'undelivered') return { delivery: 'failed', reason: error?.code ?? status }
  return { delivery: status === 'sent' || status === 'delivered' ? status : 'queued', reason: null }
}

export const sms: CodeChannel = { send, report }
