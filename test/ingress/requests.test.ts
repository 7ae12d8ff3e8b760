import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { scopes as everyScope, type Scope } from '#tasks/account/rules/scopes.ts'
import { areas } from '../../ingress/areas.ts'
import { area } from '../../ingress/http/area.ts'
import { provide } from '../../ingress/http/container.ts'
import { listOperations } from '../../ingress/http/openapi/document.ts'
import { problem } from '../../ingress/http/problem-kinds.ts'
import { route } from '../../ingress/http/route.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { send } from '../object-store/fixture.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'

const Whence = z.object({ ip: z.string(), origin: z.string() })

const whence = route({
  method: 'GET',
  path: '/whence',
  summary: 'Where a request comes from',
  public: true,
  status: 200,
  reply: Whence,
  async handle({ ip, origin }) {
    return { ip, origin }
  },
})
const full = problem(409, 'full', 'There is no room.')
const shut = problem(409, 'shut', 'It is not open.')

const enter = route({
  method: 'POST',
  path: '/enter/{door}',
  summary: 'Enter by a door',
  public: true,
  status: 204,
  problems: [full],
  async handle({ params }) {
    throw params.door === 'back' ? shut('Come tomorrow.', { door: 'back' }) : full('Nobody more.')
  },
})
const things = area({
  name: 'things',
  title: 'T',
  description: 'T.',
  base: '/v1',
  platform: true,
  routes: { t: { whence, enter } },
})

const { db } = await testDatabase(t)
const scopes = (Object.keys(everyScope) as Scope[]).filter((scope) => scope !== 'operator')
const { org, keys } = await testOrg(db, scopes)

t.test('of several forwarded hosts and schemes the one that the trusted proxy added counts', async (t) => {
  const { ask } = await testIngress(t, db, [things], { trustedProxies: ['127.0.0.1'] })
  const headers = {
    'x-forwarded-for': '198.51.100.1, 203.0.113.9',
    'x-forwarded-host': 'evil.example, api.platform.example:8443',
    'x-forwarded-proto': 'http, https',
  }
  const expected = { ip: '203.0.113.9', origin: 'https://api.platform.example:8443' }
  t.strictSame((await ask('GET /v1/whence', { headers })).body, expected)
})

t.test('a problem that a route throws and does not declare is told of; the client gets it as any other', async (t) => {
  const told: string[] = []
  const { ask } = await testIngress(t, db, [things], {
    undeclared: ({ id }, { status, code }) => told.push(`${id} ${status} ${code}`),
  })
  t.match(await ask('POST /v1/enter/front'), {
    status: 409,
    body: { error: { code: 'full', message: 'Nobody more.' } },
  })
  t.strictSame(told, [])
  const { status, body } = await ask('POST /v1/enter/back')
  t.match({ status, error: body.error }, { status: 409, error: { code: 'shut', details: { door: 'back' } } })
  t.strictSame(told, ['things.t.enter 409 shut'])
})

t.test('what is no id is answered 404 on every route, like an id that nothing has', async (t) => {
  const { ask } = await testIngress(t, db)
  const withIds = listOperations(areas).filter(({ path }) => /\{(id|\w+Id)\}/.test(path))
  t.ok(withIds.length > 15)
  const open = ['open/{assetId}/master.m3u8', `open/${newId()}/{packageId}/x.m3u8`, 'play/x/{packageId}/x.m3u8']
  const hidden = open.map((path) => ({ method: 'GET', path: `/v1/stream/${path}` }))
  for (const { method, path } of [...withIds, ...hidden]) {
    const asked = `${method} ${path.replace('{file}', 'en.vtt').replaceAll(/\{\w+\}/g, 'no-id')}`
    const reply = await ask(asked, { key: keys.main, ...(method === 'GET' ? {} : { body: {} }) })
    t.match(reply, { status: 404, body: { error: { code: 'not_found', message: /^No such (?!path)/ } } }, asked)
  }
})

t.test('over plain HTTP, too, a customer’s own name serves viewers and nothing else', async (t) => {
  await db.query(sql.typeAlias('void')`
    insert into video.domains (id, org_id, hostname, token, verified_at)
    values (${newId()}, ${org.id}, 'watch.example', 'x', now())`)
  const { url } = await testIngress(t, db, [], {
    services: [provide(signingSecret, 's'.repeat(32))],
  })
  const port = Number(new URL(url).port)
  const on = async (host: string, path: string, method = 'GET') =>
    (await send({ port }, { method, path, headers: { host, authorization: `Bearer ${keys.main}` } })).status
  const forPlatform = ['/v1/stream/assets', '/v1/files/objects', '/ops', '/ops/sign-in', '/v1/openapi.json', '/docs']
  for (const path of forPlatform) {
    t.not(await on('api.platform.example', path), 404, path)
    for (const host of ['watch.example', 'WATCH.example:8080', 'watch.example.'])
      t.equal(await on(host, path), 404, `${host} ${path}`)
  }
  t.equal(await on('watch.example', '/v1/stream/play/x/master.m3u8'), 403, 'viewers get as far as their token')
  t.equal(
    await on('watch.example', '/v1/stream/player/hls.js'),
    await on('api.platform.example', '/v1/stream/player/hls.js'),
  )
})
