import '../support/newcomer-environment.ts'
import t from 'tap'
import { message, sending, verified } from './sending.ts'

const { db, sender } = await sending(t)

t.test('what is only recorded needs no domain', async (t) => {
  const one = await sender()
  const recorded = await one.send(message('nobodys.example'), { key: one.sandbox })
  t.match(recorded, { status: 202, body: { status: 'sent' } }, recorded.text)
  t.match((await one.ask(`GET /send/v1/messages/${recorded.body.id}`, { key: one.sandbox })).body, {
    from: { email: 'orders@nobodys.example' },
  })
  const refused = await one.send(message('nobodys.example'))
  t.match(refused, { status: 403, body: { error: { code: 'domain_not_verified' } } }, 'what is delivered does')
})

t.test('every organisation sends from the shared domain, once it is verified, within its own plan', async (t) => {
  const [host, guest] = [await sender(), await sender()]
  t.match(await guest.send(message('dev.example')), { status: 403 }, 'nobody has it yet')
  await verified(db, host.orgId, 'dev.example')
  const sent = await guest.send(message('dev.example'))
  t.match(sent, { status: 202, body: { status: 'queued' } }, sent.text)
  t.match((await guest.ask('GET /send/v1/usage')).body, { messages: 1 })
  t.match((await host.ask('GET /send/v1/usage')).body, { messages: 0 })
  t.equal((await host.ask(`GET /send/v1/messages/${sent.body.id}`)).status, 404)
  const locked = await guest.send(message('dev.example'), { key: guest.locked })
  t.match(locked, { status: 403, body: { error: { code: 'domain_not_allowed' } } }, 'a lock still holds')
  t.match(await guest.send(message(host.domain)), { status: 403 }, 'of no other domain of others')
  const { data } = (await guest.ask('GET /send/v1/domains')).body
  t.notOk(data.some(({ domain }: { domain: string }) => domain === 'dev.example'))
})
