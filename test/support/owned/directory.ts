import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { insertAsset } from '../assets.ts'
import type { Owned } from './owned.ts'

export const directory: Owned = ({ make, db, owner }) => ({
  made: {
    '/v1/streaming/channels': async () => {
      const handle = `of-${newId().slice(-12)}`
      return await make('POST /v1/streaming/channels', { handle, name: 'A channel' }, 'handle')
    },
    '/v1/streaming/videos': () => insertAsset(db, owner.org.id, {}),
    '/v1/streaming/shorts': () => insertAsset(db, owner.org.id, { width: 720, height: 1280, duration_seconds: 30 }),
    '/v1/streaming/playlists': () => make('POST /v1/streaming/playlists', { title: 'A playlist' }),
    '/v1/streaming/live': async () => {
      const id = newId()
      await db.query(sql.typeAlias('void')`
        insert into directory.live_streams (id, org_id, listed, status, title)
        values (${id}, ${owner.org.id}, true, 'live', 'Now')`)
      return id
    },
  },
  bodies: {},
  anyones: [
    'directory.channels.read',
    'directory.channel-videos.list',
    'directory.videos.read',
    'directory.shorts.read',
    'directory.live.read',
    'directory.playlists.read',
    'directory.playlist-videos.list',
  ],
})
