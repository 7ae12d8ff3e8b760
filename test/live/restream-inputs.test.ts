import '../support/webhooks-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { badTargets, goodTarget as good } from '../support/restream-targets.ts'
import { videoStack } from '../support/video-stack.ts'

const { ask, db, ingress } = await videoStack(t)
const { channelId } = (await ask('POST /v1/stream/live/channels', { body: { name: 'Stage' } })).body
const base = `/v1/stream/live/channels/${channelId}/restreams`

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
