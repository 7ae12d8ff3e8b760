import t from 'tap'
import { newId } from '#lib/ids.ts'
import { Storage } from '#lib/storage/storage.ts'
import { openPool, sql } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { migrateAll } from '../../ops/migrate.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { ownCluster } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { signingSecret, storeKeys } from '../support/video-stack.ts'

t.test('while Postgres is away viewers play on, and new ones are told to come again', async (t) => {
  const postgres = await ownCluster(t)
  await migrateAll(postgres.url)
  const db = await openPool(postgres.url)
  t.teardown(() => db.end())
  const nowhere = 'http://127.0.0.1:9'
  const storage = new Storage({ endpoint: nowhere, publicEndpoint: nowhere, ...storeKeys })
  const ingress = await testIngress(t, db, [], {
    services: [provide(services.storage, storage), provide(services.signingSecret, signingSecret)],
    databaseTimeoutMs: 5_000,
  })
  const { org, keys } = await testOrg(db, ['stream:write'])
  const facts = { title: null, external_ref: null, filename: null, mime_type: null, watermark: null, bytes: 1 }
  const { id } = await assets.insert(db, { id: newId(), org_id: org.id, ...facts, profile: 'standard_vod' })
  const package_id = newId()
  await playlists.insertMany(db, id, package_id, [
    { name: 'master.m3u8', body: '#EXTM3U\nx.m3u8\n' },
    { name: 'x.m3u8', body: '#EXTM3U\nx.m4s\n' },
  ])
  await db.query(sql.typeAlias('void')`
    update video.assets set status = 'ready', stage = 'ready', package_id = ${package_id} where id = ${id}`)
  const mint = () =>
    ingress.ask(`POST /v1/stream/assets/${id}/playback-sessions`, { key: keys.main, body: { viewerId: 'v' } })
  const { hlsUrl } = (await mint()).body
  const { pathname } = new URL(hlsUrl)
  const below = (name: string) => pathname.replace('master.m3u8', `${package_id}/${name}`)
  const paths = [pathname, below('x.m3u8'), below('x.m4s'), pathname.replace('master.m3u8', 'embed')]
  const statuses = () => Promise.all(paths.map(async (path) => (await ingress.ask(`GET ${path}`)).status))
  t.strictSame(await statuses(), [200, 200, 302, 200])

  const { pathname: unseen } = new URL((await mint()).body.hlsUrl)
  await postgres.stop()
  t.strictSame(await statuses(), [200, 200, 302, 200], 'who was let in plays on')
  const reply = await ingress.ask(`GET ${unseen}`)
  t.equal(reply.status, 503)
  t.ok(Number(reply.headers.get('retry-after')) >= 1)
  t.equal(reply.headers.get('access-control-allow-origin'), '*')
  t.notMatch(reply.text, /ECONN|postgres|127\.0\.0\.1/i, 'nothing of our insides')
  t.equal((await mint()).status, 503)
  t.equal((await ingress.ask('GET /v1/stream/health/live')).status, 200)
  t.equal((await ingress.ask('GET /v1/stream/player/player.js')).status, 200)

  await postgres.restart()
  await until(async () => (await statuses()).every((status) => status < 400), { what: 'viewers play on' })
  t.equal((await mint()).status, 201)
})
