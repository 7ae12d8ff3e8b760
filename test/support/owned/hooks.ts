import { sql } from '#sql/db.ts'
import type { Owned } from './owned.ts'

const since = new Date(0).toISOString()

export const hooks: Owned = ({ make, db, owner }) => {
  let app: Promise<string> | undefined
  const createApp = () => {
    app ??= make('POST /v1/hooks/apps', { name: 'a', uid: 'owned' })
    return app
  }
  const createType = async () => {
    await db.query(sql.typeAlias('void')`
      insert into hooks.event_types (id, org_id, name) values (gen_random_uuid(), ${owner.org.id}, 'a.b')
      on conflict do nothing`)
    return 'a.b'
  }
  const endpoint = async () =>
    make(`POST /v1/hooks/apps/${await createApp()}/endpoints`, { url: 'https://hooks.example.com/x' })
  const message = async () => {
    await createType()
    return await make(`POST /v1/hooks/apps/${await createApp()}/messages`, { event_type: 'a.b', payload: {} })
  }
  return {
    made: {
      '/v1/hooks/apps': createApp,
      '/v1/hooks/event-types': createType,
      '/v1/hooks/apps/{app}/endpoints': endpoint,
      '/v1/hooks/apps/{app}/messages': message,
      '/v1/hooks/apps/{app}/messages/{id}/endpoints': message,
    },
    bodies: {
      'hooks.apps.update': { name: 'b' },
      'hooks.event-types.update': { description: 'b' },
      'hooks.endpoints.update': { description: 'b' },
      'hooks.endpoints.create': { url: 'https://hooks.example.com/x' },
      'hooks.messages.create': { event_type: 'a.b', payload: {} },
      'hooks.replays.recover': { since },
      'hooks.replays.missing': { since },
    },
  }
}
