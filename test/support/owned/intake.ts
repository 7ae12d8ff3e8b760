import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import type { Owned } from './owned.ts'

export const intake: Owned = ({ make, db, owner }) => {
  const createSource = () =>
    make('POST /v1/intake/sources', { name: 'a', provider: 'github', secret: 'secret-of-webhooks' })
  return {
    made: {
      '/v1/intake/sources': createSource,
      // Providers send requests.
      '/v1/intake/requests': async () => {
        const id = newId()
        await db.query(sql.typeAlias('void')`
          insert into intake.requests (id, org_id, source_id, verified, status, headers, size, body)
          values (${id}, ${owner.org.id}, ${await createSource()}, true, 'stored', '{}', 1, 'a')`)
        return id
      },
    },
    bodies: {
      'intake.sources.update': { name: 'b' },
      'intake.requests.replayMany': { since: new Date(0).toISOString() },
    },
  }
}
