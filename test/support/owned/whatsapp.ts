import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import type { Owned } from './owned.ts'

/** What an organisation has in the area `whatsapp`. */
export const whatsapp: Owned = ({ db, owner }) => ({
  made: {
    // Without a business number nothing is accepted.
    '/v1/whatsapp/messages': async () => {
      const id = newId()
      await db.query(sql.typeAlias('void')`
        insert into whatsapp.messages (id, org_id, direction, phone, wa_id, type, content, status)
        values (${id}, ${owner.org.id}, 'outbound', '+3725550101', '3725550101', 'text', '{"body":"a"}', 'sent')`)
      return id
    },
  },
  bodies: {},
})
