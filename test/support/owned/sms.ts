import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import type { Owned } from './owned.ts'

const account = { account_sid: `AC${'1'.repeat(32)}`, auth_token: 'token' }

export const sms: Owned = ({ make, db, owner }) => {
  let provider: Promise<string> | undefined
  return {
    made: {
      // Without workers no message is sent.
      '/v1/sms/messages': async () => {
        const id = newId()
        await db.query(sql.typeAlias('void')`
          insert into sms.messages (id, org_id, direction, phone, text, encoding, segments, status)
          values (${id}, ${owner.org.id}, 'outbound', '+3725550101', 'a', 'gsm7', 1, 'sent')`)
        return id
      },
      '/v1/sms/providers': () => {
        provider ??= make('POST /v1/sms/providers', { name: 'a', kind: 'twilio', twilio: account })
        return provider
      },
      '/v1/sms/opt-outs': () => make('POST /v1/sms/opt-outs', { phone: '+3725550101' }),
    },
    bodies: { 'sms.providers.update': { name: 'b' } },
  }
}
