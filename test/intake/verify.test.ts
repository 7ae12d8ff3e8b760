import '../support/work-environment.ts'
import t from 'tap'
import { signedProviders } from './providers.ts'
import { intakeStack } from './stack.ts'

t.setTimeout(240_000)
const { add, ask, post, list } = await intakeStack(t)

for (const provider of signedProviders) {
  const [first, second] = provider.secrets
  t.test(`${provider.name}: signatures are checked, and each event is stored once`, async (t) => {
    const source = await add({ name: provider.name, secret: first, ...provider.form })
    const of = `&source_id=${source.id}`
    const send = async (id: string, secret: string, { ago = 0, change = '' } = {}) => {
      const body = provider.body(id)
      return await post(source, body + change, await provider.sign(body, { secret, ago, id }))
    }
    t.equal(source.secret, null, 'the given secret is not returned')

    const good = await send('evt_1', first)
    t.equal(good.status, 200, good.text)
    const [stored] = await list(of)
    t.match(stored, { verified: true, reason: null, event_id: 'evt_1', event_type: provider.type, status: 'stored' })
    t.equal(stored.id, good.body.id)
    t.equal(stored.signed_at !== null, provider.signsTime)
    const { body: read } = await ask(`GET /v1/intake/requests/${stored.id}`)
    t.equal(read.body, provider.body('evt_1'), 'the exact body')

    t.match(await send('evt_2', second), { status: 401, body: { error: { code: 'signature_invalid' } } })
    t.equal((await send('evt_2', first, { change: ' ' })).status, 401, 'a changed byte')
    t.equal((await post(source, provider.body('evt_2'))).status, 401, 'without a signature')
    if (provider.signsTime) {
      t.equal((await send('evt_2', first, { ago: 3_600 })).status, 401, 'an old signature')
      t.equal((await send('evt_2', first, { ago: -3_600 })).status, 401, 'a signature of the future')
    }
    const refused = await list(`${of}&verified=false`)
    const reasons = ['signature_missing', 'signature_wrong', 'signature_wrong']
    const late = ['timestamp_outside_tolerance', 'timestamp_outside_tolerance']
    t.strictSame(
      refused.map(({ reason }) => reason),
      [...(provider.signsTime ? late : []), ...reasons],
    )
    t.ok(refused.every(({ status }) => status === 'rejected'))

    const again = await send('evt_1', first)
    t.match(again, { status: 200, body: { id: good.body.id } }, 'a repeated event is answered with the first request')
    t.match(await list(`${of}&verified=true`), [{ duplicates: 1 }])

    const rotated = await ask(`POST /v1/intake/sources/${source.id}/secret`, { body: { secret: second } })
    t.equal(rotated.status, 200, rotated.text)
    t.ok(rotated.body.previous_secret_until)
    t.equal((await send('evt_3', first)).status, 200, 'the previous secret is also valid')
    t.equal((await send('evt_4', second)).status, 200, 'the new secret is valid')
    await ask(`POST /v1/intake/sources/${source.id}/secret`, { body: { secret: second, keep_hours: 0 } })
    t.equal((await send('evt_5', first)).status, 401, 'without an overlap, only the new secret is valid')
    t.equal((await send('evt_5', second)).status, 200)
    t.equal((await ask(`GET /v1/intake/sources/${source.id}`)).body.rejected, refused.length + 1)
  })
}
