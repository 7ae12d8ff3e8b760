import '../support/webhooks-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { badTargets, goodTarget as good } from '../support/restream-targets.ts'
import { videoStack } from '../support/video-stack.ts'

const { ask, db, ingress } = await videoStack(t)
const all = '/v1/stream/live/channels'
const { channelId } = (await ask(`POST ${all}`, { body: { name: 'Stage' } })).body
const base = `${all}/${channelId}/restreams`

t.test('every bad field of a target is named', async (t) => {
  t.ok(badTargets.length > 40)
  for (const [body, field] of badTargets) {
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

t.test('a channel has the renditions and the slate that it was given, none by default', async (t) => {
  const plain = await ask(`POST ${all}`, { body: { name: 'Plain' } })
  t.match(plain.body, { renditions: [], slate: false })
  const made = await ask(`POST ${all}`, { body: { name: 'Stage', renditions: [360, 720, 360], slate: true } })
  t.match(made, { status: 201, body: { slate: true } })
  t.same(made.body.renditions, [720, 360], 'each once, the highest first')
  const one = `${all}/${made.body.channelId}`
  t.match((await ask(`GET ${one}`)).body, { renditions: [720, 360], slate: true, stream: null })
  t.same((await ask(`PATCH ${one}`, { body: { renditions: [] } })).body.renditions, [])
  t.match((await ask(`PATCH ${one}`, { body: { slate: false } })).body, { renditions: [], slate: false })
  const { data } = (await ask(`GET ${all}`)).body
  t.match(data[0], { renditions: [], slate: false })
})

t.test('every bad field of a channel’s renditions and slate is named, and changes nothing', async (t) => {
  const { channelId: id } = (await ask(`POST ${all}`, { body: { name: 'Stage', renditions: [480] } })).body
  const renditions: unknown[] = [
    ...['', '720', 720, {}, null, true, [null], [''], ['720'], [720.5], [0], [-360], [1080], [721], [2 ** 53], [1e308]],
    ...[[[720]], [{ height: 720 }], [true], [720, 480, 360, 360], [720, 1080], [360, '480'], Array(5_000).fill(360)],
    ...[[Number.MIN_VALUE], ['\u0000'], ['__proto__'], { 0: 720, length: 1 }, '720,480', [720, null], [[]]],
  ]
  const slates: unknown[] = ['', 'true', 'yes', 0, 1, null, {}, [], [true], '\u0000', { text: 'Back soon' }, 1e308]
  const cases: [object, string][] = [
    ...renditions.map((value): [object, string] => [{ renditions: value }, 'renditions']),
    ...slates.map((slate): [object, string] => [{ slate }, 'slate']),
    [{ rendition: [720] }, 'rendition'],
  ]
  t.ok(cases.length > 40)
  for (const [bad, field] of cases) {
    const answers = [
      await ask(`POST ${all}`, { body: { name: 'Bad', ...bad } }),
      await ask(`PATCH ${all}/${id}`, { body: bad }),
    ]
    for (const answer of answers) {
      t.equal(answer.status, 400, JSON.stringify(bad).slice(0, 80))
      t.ok(
        fieldsOf(answer).some((named) => named.includes(field)),
        answer.text,
      )
    }
  }
  t.match((await ask(`GET ${all}/${id}`)).body, { renditions: [480], slate: false })
})
