import { config } from '#lib/config.ts'
import type { Db } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import { acceptMessages } from '../../../whatsapp/rules/accept-messages.ts'
import { storeTestMessages } from '../../../whatsapp/rules/test-messages.ts'
import type { CodeChannel, CodeMessage, DeliveryReport, SendOutcome } from './channel.ts'

/** True if the organisation has its own business number, or the installation has one for all. */
export const hasNumber = async (db: Db, orgId: string): Promise<boolean> =>
  config.WHATSAPP_PHONE_NUMBER_ID !== undefined || (await numbers.findByOrgs(db, [orgId])).has(orgId)

/** An authentication template has the code in its body and in its button that copies the code. */
const requestOf = ({ verification, settings, code }: CodeMessage): messages.GivenMessage => ({
  org_id: verification.org_id,
  phone: verification.recipient,
  type: 'template',
  content: {
    name: settings.whatsapp_template?.name ?? 'verification_code',
    language: { code: settings.whatsapp_template?.language ?? 'en' },
    components: [
      { type: 'body', parameters: [{ type: 'text', text: code }] },
      { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: code }] },
    ],
  },
  client_reference: verification.id,
})

async function send(tx: Db, message: CodeMessage): Promise<SendOutcome> {
  const { org_id, sandbox, key_id } = message.verification
  const wanted = requestOf(message)
  if (sandbox) {
    if (key_id === null) return { refused: 'key_revoked' }
    const [kept] = await storeTestMessages(tx, [{ keyId: key_id, message: wanted }])
    return { messageId: kept?.id as string }
  }
  if (!(await hasNumber(tx, org_id)) || !message.settings.whatsapp_template) return { refused: 'not_configured' }
  const [accepted] = await acceptMessages(tx, [wanted])
  if (accepted && 'message' in accepted) return { messageId: accepted.message.id }
  if (accepted && 'tooFast' in accepted) return { refused: 'rate_limited' }
  if (accepted && 'optedOut' in accepted) return { refused: 'recipient_opted_out' }
  return { refused: accepted && 'overBudget' in accepted ? 'budget_reached' : 'outside_window' }
}

async function report(db: Db, orgId: string, messageId: string): Promise<DeliveryReport | null> {
  const found = await messages.find(db, orgId, messageId)
  if (!found) return null
  if (found.status === 'failed') return { delivery: 'failed', reason: found.error?.code ?? 'failed' }
  if (found.status === 'delivered' || found.status === 'read') return { delivery: 'delivered', reason: null }
  return { delivery: found.status === 'sent' || found.status === 'accepted' ? 'sent' : 'queued', reason: null }
}

export const whatsapp: CodeChannel = { send, report }
