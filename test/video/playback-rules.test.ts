import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import { createCountries } from '../../ingress/playback/country.ts'
import { countryLookup } from '../../ingress/playback/services.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { mmdb } from '../support/mmdb.ts'
import { ownDomain } from '../support/own-domain.ts'
import { playableAsset } from '../support/playable-asset.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { db, orgId } = stack
const file = join(stack.data, 'countries.mmdb')
await writeFile(file, mmdb({ '203.0.113.0/25': 'EE', '203.0.113.128/25': 'FI', '198.51.100.0/24': 'US' }))
const services = [provide(countryLookup, createCountries({ city: file }))]
const ingress = await stack.another(db, { trustedProxies: ['127.0.0.1'], services })

const { id: asset, package_id } = await playableAsset(db, orgId)
const mint = (body: object, id = asset) =>
  ingress.ask(`POST /v1/stream/assets/${id}/playback-sessions`, { key: stack.key, body })
const statusFrom = async (ip: string, url: string) =>
  (await ingress.ask(`GET ${new URL(url).pathname}`, { headers: { 'x-forwarded-for': ip } })).status

t.test('a session plays in the countries it is for: playlists and segments alike', async (t) => {
  const below = (url: string, name: string) => url.replace('master.m3u8', `${package_id}/${name}`)
  const allowed = (await mint({ allowedCountries: ['ee', 'US'] })).body.hlsUrl
  t.equal(await statusFrom('203.0.113.5', allowed), 200)
  t.equal(await statusFrom('203.0.113.5', below(allowed, 'x.m4s')), 302)
  for (const url of [allowed, below(allowed, 'x.m3u8'), below(allowed, 'x.m4s')])
    t.equal(await statusFrom('203.0.113.200', url), 403, 'Finland is not allowed')
  t.equal(await statusFrom('192.0.2.1', allowed), 403, 'an unknown country passes no allow-list')
  const refused = await ingress.ask(`GET ${new URL(allowed).pathname}`)
  t.match(refused.body, { error: { code: 'country_not_allowed' } }, 'the proxy’s own address is nowhere')

  const blocked = (await mint({ blockedCountries: ['FI'] })).body.hlsUrl
  t.equal(await statusFrom('203.0.113.200', blocked), 403)
  t.equal(await statusFrom('203.0.113.5', blocked), 200)
  t.equal(await statusFrom('192.0.2.1', blocked), 200, 'an unknown country is on no block-list')
  const both = (await mint({ allowedCountries: ['FI'], blockedCountries: ['FI'] })).body.hlsUrl
  t.equal(await statusFrom('203.0.113.200', both), 403, 'blocked wins')
})

t.test('nobody chooses the country by a header of their own', async (t) => {
  const straight = await stack.another(db, { services })
  const { hlsUrl } = (await mint({ allowedCountries: ['EE'] })).body
  const headers = { 'x-forwarded-for': '203.0.113.5' }
  t.equal((await straight.ask(`GET ${new URL(hlsUrl).pathname}`, { headers })).status, 403)
})

t.test('a replaced file of countries is read without a restart', async (t) => {
  const { hlsUrl } = (await mint({ allowedCountries: ['SE'] })).body
  t.equal(await statusFrom('198.51.100.7', hlsUrl), 403)
  await writeFile(`${file}.new`, mmdb({ '198.51.100.0/24': 'SE' }))
  await rename(`${file}.new`, file)
  await until(async () => (await statusFrom('198.51.100.7', hlsUrl)) === 200)
})

t.test('without a file the packaged data tell countries; without any nothing that asks for one plays', async (t) => {
  const packaged = createCountries({})
  t.equal(await packaged('8.8.8.8'), 'US')
  t.equal(await packaged('127.0.0.1'), null)
  const broken = await stack.another(db, {
    services: [provide(countryLookup, createCountries({ city: '/nowhere.mmdb' }))],
  })
  const open = async (body: object) =>
    (await broken.ask(`GET ${new URL((await mint(body)).body.hlsUrl).pathname}`)).status
  t.equal(await open({ blockedCountries: ['FI'] }), 503)
  t.equal(await open({}), 200)
})

t.test('a viewer has as many sessions as allowed, however many ask at once', async (t) => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => mint({ viewerId: 'crowd', maxConcurrent: 3 })))
  const made = answers.filter(({ status }) => status === 201)
  t.equal(made.length, 3)
  const refused = answers.find(({ status }) => status === 409)
  t.match(refused?.body, { error: { code: 'viewer_concurrency_reached', details: { active: 3, max: 3 } } })

  const { id: other } = await playableAsset(db, orgId)
  t.equal((await mint({ viewerId: 'crowd', maxConcurrent: 3 }, other)).status, 409, 'whatever they watch')
  t.equal((await mint({ viewerId: 'another', maxConcurrent: 1 })).status, 201)
  t.equal((await mint({ viewerId: 'crowd' })).status, 201, 'without a cap it is not asked')
  const revoke = ({ body }: { body: { sessionId: string } }) =>
    ingress.ask(`DELETE /v1/stream/assets/playback-sessions/${body.sessionId}`, { key: stack.key })
  for (const session of made.slice(0, 2)) await revoke(session)
  t.equal((await mint({ viewerId: 'crowd', maxConcurrent: 3 })).status, 201, 'revoking makes room')
  await db.query(sql.typeAlias('void')`
    update video.playback_sessions set expires_at = now() - interval '1 second' where viewer_id = 'another'`)
  t.equal((await mint({ viewerId: 'another', maxConcurrent: 1 })).status, 201, 'and so does time')
})

t.test('bad rules are named, each by its field', async (t) => {
  const body = { allowedCountries: ['EE', 'UK'], blockedCountries: ['Estonia'], maxConcurrent: 0, viewerId: 'v' }
  const fields = ['allowedCountries.1', 'blockedCountries.0', 'maxConcurrent'].map((name) => `body.${name}`)
  t.strictSame(fieldsOf(await mint(body)).toSorted(), fields)
  const alone = await mint({ maxConcurrent: 2 })
  t.equal(alone.status, 400)
  t.match(alone.body.error.message, /body.maxConcurrent: can only be used together with `viewerId`/)
})

t.test('a session is for a host of this API or an active domain of the organisation, and for no other', async (t) => {
  const { org: stranger } = await testOrg(db)
  await ownDomain(db, orgId, 'active.example')
  await ownDomain(db, orgId, 'unready.example', false)
  await ownDomain(db, stranger.id, 'theirs.example')
  const baseOf = async (host: string) => new URL((await mint({ host })).body.hlsUrl).origin
  t.equal(await baseOf('Active.example'), 'https://active.example')
  t.equal(await baseOf('127.0.0.1'), ingress.url)
  t.equal(await baseOf('localhost'), ingress.url.replace('127.0.0.1', 'localhost'), 'this machine under another name')
  for (const host of ['unready.example', 'theirs.example', 'nobody.example', 'sub.active.example', '192.0.2.1']) {
    const refused = await mint({ host })
    t.equal(refused.status, 400, host)
    t.strictSame(fieldsOf(refused), ['body.host'], host)
  }
  const headers = { 'x-forwarded-host': 'theirs.example' }
  const path = `POST /v1/stream/assets/${asset}/playback-sessions`
  const claimed = await ingress.ask(path, { key: stack.key, headers, body: { host: 'theirs.example' } })
  t.equal(claimed.status, 400, 'also where it is asked for as if under that name')
})
