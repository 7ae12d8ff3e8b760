import '../support/webhooks-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { videoStack } from '../support/video-stack.ts'

const { ask, db, ingress } = await videoStack(t)
const { channelId } = (await ask('POST /v1/stream/live/channels', { body: { name: 'Stage' } })).body
const base = `/v1/stream/live/channels/${channelId}/restreams`
const good = { name: 'Elsewhere', url: 'rtmp://live.example.com/app', streamKey: 'key?with=query' }

t.test('every bad field of a target is named', async (t) => {
  const urls: unknown[] = [
    ...[
      '',
      'x',
      'live.example.com/app',
      'http://live.example.com/app',
      'rtmp:',
      'rtmp://',
      'rtmp:///app',
      'rtmp://host',
    ],
    ...[
      'rtmp://host/',
      'rtmp://host//',
      'rtmp://u:p@host/app',
      'rtmp://u@host/app',
      'rtmp://host/app?key=a',
      'rtmp://host/app#a',
    ],
    ...[
      'rtmp://host:0/app',
      'rtmp://host:99999/app',
      'rtmp://host:x/app',
      'rtmp://10.0.0.1/app',
      'rtmp://192.168.1.1:1935/app',
    ],
    ...[
      'rtmp://169.254.169.254/latest',
      'rtmp://[::1]/app',
      'rtmp://[fd00::1]/app',
      'rtmp://0x0a000001/app',
      'rtmp://2130706434/app',
    ],
    ...[
      'rtmp://[::ffff:10.0.0.1]/app',
      'rtmp://0/app',
      'rtmps://10.1.1.1/app',
      'rtmp://8.8.8.8:22/app',
      'rtmp://8.8.8.8:25/app',
    ],
    ...[
      `rtmp://host/${'a'.repeat(1000)}`,
      `rtmp://${'a'.repeat(300)}/app`,
      'rtmp://ho st/app',
      'file:///etc/passwd',
      'rtmp://host%00/app',
    ],
    ...['srt://host:9000', 'rtmpt://host/app', 7, null, {}, ['rtmp://host/app'], true],
  ]
  const keys: unknown[] = ['', 'a b', 'a\nb', 'ä', 'a'.repeat(501), 7, null, {}, '\u0000']
  const cases: [object, string][] = [
    ...urls.map((url): [object, string] => [{ ...good, url }, 'url']),
    ...keys.map((streamKey): [object, string] => [{ ...good, streamKey }, 'streamKey']),
    ...['', ' ', 'a'.repeat(201), 7, null].map((name): [object, string] => [{ ...good, name }, 'name']),
    [{ ...good, enabled: 'yes' }, 'enabled'],
    [{ ...good, more: 1 }, 'more'],
  ]
  t.ok(cases.length > 40)
  for (const [body, field] of cases) {
    const made = await ask(`POST ${base}`, { body })
    t.equal(made.status, 400, JSON.stringify(body))
    t.ok(
      fieldsOf(made).some((named) => named.includes(field)),
      `${JSON.stringify(body)}: ${made.text}`,
    )
  }
  t.equal((await ask(`POST ${base}`, { body: {} })).status, 400)
  t.same((await ask(`GET ${base}`)).body.data, [])
})

t.test('a target is its channel’s alone, and a change that is refused changes nothing', async (t) => {
  const made = await ask(`POST ${base}`, { body: good })
  t.match(made, { status: 201, body: { name: 'Elsewhere', state: 'idle', enabled: true, reason: null, message: null } })
  const one = `${base}/${made.body.restreamId}`
  t.equal((await ask(`PATCH ${one}`, { body: {} })).status, 400)
  t.equal((await ask(`PATCH ${one}`, { body: { url: 'rtmp://10.0.0.1/app' } })).status, 400)
  t.match((await ask(`PATCH ${one}`, { body: { url: 'rtmps://live.example.org/app/' } })).body, {
    url: 'rtmps://live.example.org/app',
  })
  const other = await ask('POST /v1/stream/live/channels', { body: { name: 'Other' } })
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  const strange = [
    ask(`GET /v1/stream/live/channels/${other.body.channelId}/restreams/${made.body.restreamId}`),
    ask(`DELETE ${base}/${newId()}`),
    ask(`PATCH ${base}/nothing`, { body: { enabled: false } }),
    ingress.ask(`GET ${base}`, { key: keys.main }),
    ingress.ask(`DELETE ${one}`, { key: keys.main }),
  ]
  for (const { status, text } of await Promise.all(strange)) t.equal(status, 404, text)
  t.equal((await ask(`DELETE /v1/stream/live/channels/${channelId}`)).status, 200)
  t.equal((await ask(`GET ${base}`)).status, 404)
})
