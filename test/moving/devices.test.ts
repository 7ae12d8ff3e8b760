import '../support/moving-environment.ts'
import { createECDH, randomBytes } from 'node:crypto'
import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { keys } from './providers.ts'
import { movingStack } from './stack.ts'

const { customer, source, ingress } = await movingStack(t)
const { answers, seen } = source

function subscription() {
  const pair = createECDH('prime256v1')
  return { p256dh: pair.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
}

t.test('OneSignal: browsers keep their subscription with the existing VAPID pair', async (t) => {
  const one = await customer()
  const app = (await one.ask('POST /push/v1/apps', { body: { name: 'Shop' } })).body
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  const octets = pair.getPrivateKey()
  const privateKey = Buffer.concat([Buffer.alloc(32 - octets.length), octets]).toString('base64url')
  const put = (body: object) => one.ask(`PUT /push/v1/apps/${app.id}/credentials/webpush`, { body })
  t.match(await put({ public_key: publicKey, private_key: privateKey }), {
    status: 200,
    body: { facts: { public_key: publicKey } },
  })
  t.same(fieldsOf(await put({ public_key: publicKey })), ['body.private_key'])
  t.same(fieldsOf(await put({ public_key: publicKey, private_key: Buffer.alloc(32, 7).toString('base64url') })), [
    'body.public_key',
  ])
  const [a, b] = [subscription(), subscription()]
  const csv = `id,identifier,device_type,language,timezone_id,tags,external_user_id,invalid_identifier,notification_types,web_auth,web_p256
1,https://fcm.googleapis.com/fcm/send/abc,5,de,Europe/Vienna,"{""plan"":""pro""}",user-1,f,1,${a.auth},${a.p256dh}
2,https://updates.push.services.mozilla.com/wpush/v2/xyz,8,en,,,user-2,f,1,${b.auth},${b.p256dh}
3,${'ab'.repeat(32)},0,en,,,user-1,f,1,,
4,https://fcm.googleapis.com/fcm/send/gone,5,de,,,,t,-2,${a.auth},${a.p256dh}
5,https://10.0.0.1/internal,5,de,,,,f,1,${a.auth},${a.p256dh}
6,https://fcm.googleapis.com/fcm/send/nokeys,5,de,,,,f,1,,
7,ann@example.net,11,de,,,,f,1,,
`
  const start = () => one.start({ provider: 'onesignal', part: 'devices', app_id: app.id, csv, dry_run: false })
  const { body } = await start()
  t.match(await one.reaches(body.id, 'finished'), { found: 7, imported: 3, invalid: 4 })
  t.match(await one.rows(body.id, '&outcome=invalid'), [
    { external_id: '4', reason: /unsubscribed/ },
    { external_id: '5', reason: 'The push token is invalid.' },
    { external_id: '6', reason: /web_auth/ },
    { external_id: '7', reason: /device type 11/ },
  ])
  const devices = (await one.ask(`GET /push/v1/apps/${app.id}/installations`)).body.data
  t.match(
    devices.find(({ locale }: { locale: string }) => locale === 'de'),
    { user_id: 'user-1', push_provider: 'webpush', time_zone: 'Europe/Vienna', tags: ['plan:pro'], status: 'active' },
  )
  t.equal(devices.length, 3)
  const again = await start()
  t.match(await one.reaches(again.body.id, 'finished'), { imported: 0, existing: 3, invalid: 4 })
  await one.ask('POST /push/v1/installations', { body: { app_id: app.id, user_id: 'user-3', push_provider: 'sse' } })
  const path = `/push/v1/apps/${app.id}/installations/export`
  const download = async () =>
    await (await fetch(`${ingress.url}${path}`, { headers: { authorization: `Bearer ${one.key}` } })).text()
  const before = await download()
  const lines = before.trimEnd().split('\n')
  t.equal(lines.length, 3, 'streams have no token of a provider')
  const exported = lines.map((line) => JSON.parse(line))
  t.match(
    exported.find(({ user_id, push_provider }) => user_id === 'user-1' && push_provider === 'webpush'),
    { subscription: { endpoint: 'https://fcm.googleapis.com/fcm/send/abc', keys: a }, tags: ['plan:pro'] },
  )
  const other = (await one.ask('POST /push/v1/apps', { body: { name: 'Other' } })).body
  for (const { id: _, status: _status, created_at: _created, ...device } of exported) {
    const given = Object.fromEntries(Object.entries(device).filter(([, value]) => value !== null))
    const { status, body } = await one.ask('POST /push/v1/installations', { body: { ...given, app_id: other.id } })
    t.equal(status, 200, JSON.stringify(body))
  }
  t.equal((await one.ask(`GET /push/v1/apps/${other.id}/installations`)).body.data.length, 3)
  t.equal((await (await customer()).ask(`GET ${path}`)).status, 404)
})

t.test('Mux: the original file, or the best rendition, with captions and IDs', async (t) => {
  const one = await customer()
  const text = { type: 'text', text_type: 'subtitles', status: 'ready', language_code: 'en', name: 'English' }
  const asset = (id: string, more: object = {}) => ({
    ...{ id, status: 'ready', duration: 12.3, created_at: '1609869152', passthrough: `own-${id}` },
    ...{ playback_ids: [{ id: `play-${id}`, policy: 'public' }], tracks: [{ type: 'video', id: 'v' }], ...more },
  })
  const first = asset('a1', {
    meta: { title: 'Opening <talk>' },
    tracks: [
      { ...text, id: 'tr1' },
      { ...text, id: 'tr2', language_code: 'de' },
    ],
  })
  const second = asset('a2', {
    playback_ids: [{ id: 'play-a2', policy: 'public' }],
    static_renditions: {
      status: 'ready',
      files: [
        { name: 'low.mp4', bitrate: 1 },
        { name: 'high.mp4', bitrate: 9 },
      ],
    },
  })
  const third = asset('a3', { playback_ids: [{ id: 'p3', policy: 'signed' }] })
  const pages: Record<string, object> = {
    '': { data: [first, second, asset('x', { status: 'preparing' })], next_cursor: 'next' },
    next: { data: [third], next_cursor: null },
  }
  answers.set('/video/v1/assets', ({ searchParams }) => ({ body: pages[searchParams.get('cursor') ?? ''] }))
  const master = { status: 'ready', url: 'https://files.example.com/a1/master.mp4?signature=x' }
  answers.set('/video/v1/assets/a1', () => ({ body: { data: { ...first, master } } }))
  for (const one of [second, third]) {
    answers.set(`/video/v1/assets/${one.id}`, () => ({ body: { data: one } }))
    answers.set(`/video/v1/assets/${one.id}/master-access`, () => ({
      status: 400,
      body: { error: { type: 'invalid_parameters', messages: ['Master access is not available'] } },
    }))
  }
  answers.set('/stream/play-a1/text/tr1.vtt', () => ({ body: 'WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n' }))
  const { body } = await one.start({ provider: 'mux', api_key: keys.mux, dry_run: false })
  t.match(await one.reaches(body.id, 'finished'), { found: 3, imported: 2, invalid: 1 })
  const rows = await one.rows(body.id)
  t.match(rows, [
    { external_id: 'a1', outcome: 'imported', reason: '1 of 2 caption tracks were not imported.' },
    { external_id: 'a2', outcome: 'imported', reason: null },
    { external_id: 'a3', outcome: 'invalid', reason: /Master access is not available/ },
  ])
  const found = (await one.ask('GET /v1/stream/assets?externalRef=a1')).body.data
  t.match(found, [
    {
      title: 'Opening <talk>',
      metadata: { mux_asset_id: 'a1', mux_playback_id: 'play-a1', mux_passthrough: 'own-a1' },
    },
  ])
  t.equal(seen.filter(({ method, path }) => method === 'PUT' && path.includes('a1')).length, 0)
  const again = await one.start({ provider: 'mux', api_key: keys.mux, dry_run: false })
  t.match(await one.reaches(again.body.id, 'finished'), { imported: 0, existing: 2, invalid: 1 })
})
