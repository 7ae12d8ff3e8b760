import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as recipients from '#sql/whatsapp/recipients.ts'
import * as templates from '#sql/whatsapp/templates.ts'
import type { Owned } from './owned.ts'

export const whatsapp: Owned = ({ db, owner }) => {
  let made: Promise<string> | undefined
  // No request is sent to Meta.
  const number = async () => {
    const id = newId()
    const secrets = { access_token: 'sealed', app_secret: 'sealed', verify_token: 'sealed' }
    await numbers.insert(db, { id, org_id: owner.org.id, phone_number_id: '1', account_id: '2', ...secrets })
    await numbers.connect(db, id, { displayPhone: null, verifiedName: null })
    return id
  }
  const numberOnce = () => {
    made ??= number()
    return made
  }
  return {
    made: {
      // Without a business number no message is accepted.
      '/v1/whatsapp/messages': async () => {
        const id = newId()
        await db.query(sql.typeAlias('void')`
          insert into whatsapp.messages (id, org_id, direction, phone, wa_id, type, content, status)
          values (${id}, ${owner.org.id}, 'outbound', '+3725550101', '3725550101', 'text', '{"body":"a"}', 'sent')`)
        return id
      },
      '/v1/whatsapp/numbers': numberOnce,
      '/v1/whatsapp/recipients': async () => {
        await recipients.put(db, { org_id: owner.org.id, phone: '+3725550101' }, { user_id: 'ann' })
        return '%2B3725550101'
      },
      '/v1/whatsapp/templates': async () => {
        await numberOnce()
        const facts = {
          name: 'a',
          language: 'en',
          status: 'APPROVED',
          category: 'UTILITY',
          parameter_format: 'POSITIONAL',
        }
        const row = { id: newId(), account_id: '2', provider_id: '77', components: [{ type: 'BODY' }], reason: null }
        await db.transaction((tx) => templates.upsert(tx, { ...row, ...facts }))
        return '77'
      },
    },
    bodies: { 'whatsapp.numbers.rotate': { app_secret: 'another' } },
    // Writing to a number creates the caller’s own recipient.
    anyones: ['whatsapp.recipients.put'],
  }
}
