import t from 'tap'
import { sql } from '#sql/db.ts'
import { findKeyword } from '#tasks/sms/rules/keywords.ts'
import { countSegments } from '#tasks/sms/rules/segments.ts'
import { emittedTo } from '../support/emitted.ts'
import { until } from '../support/until.ts'
import { twilioError } from './provider-server.ts'
import { sender, smsStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await smsStack(t)
const { ask, say, hear, server, callback } = stack
await stack.startWorkers()

const eventsOf = (phone: string) =>
  emittedTo(stack.orgId)
    .filter(({ data }) => Object.values(data).includes(phone as never) && !('segments' in data))
    .map(({ type }) => type)

t.test('STOP, START and HELP are obeyed once each, and answered as the settings say', async (t) => {
  const phone = '+37255700001'
  const answers = { stop_text: 'Stopped.', start_text: 'Welcome back.', help_text: 'Shop, shop.example' }
  t.equal((await ask('PUT /v1/sms/settings', { body: answers })).status, 200)
  const answered = (text: string) =>
    until(() => server.received.some(({ form }) => form.get('To') === phone && form.get('Body') === text))
  t.equal((await hear(phone, ' Stop! ', { sid: 'SM-stop' })).status, 200)
  t.equal((await hear(phone, ' Stop! ', { sid: 'SM-stop' })).status, 200)
  await answered('Stopped.')
  t.match(await say(phone), { status: 400, body: { error: { code: 'recipient_opted_out' } } })
  const { body: list } = await ask(`GET /v1/sms/opt-outs?phone=${encodeURIComponent(phone)}`)
  t.match(list.data, [{ phone, from: null, source: 'keyword', keyword: 'Stop!' }])
  await hear(phone, 'HELP')
  await answered('Shop, shop.example')
  await hear(phone, 'start')
  await answered('Welcome back.')
  t.equal((await say(phone)).status, 200)
  t.same(eventsOf(phone), [
    'sms.message.received',
    'sms.opt_out.created',
    'sms.message.received',
    'sms.message.received',
    'sms.opt_out.removed',
  ])
  const { body: heard } = await ask('GET /v1/sms/messages?direction=inbound')
  t.match(heard.data.at(-1), { from: phone, to: sender, text: ' Stop! ', keyword: 'stop', status: 'received' })
})

t.test(
  'a number gets one answer per keyword in 10 minutes, so that two programs do not answer each other',
  async (t) => {
    const phone = '+37255700005'
    const answers = { stop_text: 'Stopped.', start_text: 'Welcome back.', help_text: 'Shop' }
    await ask('PUT /v1/sms/settings', { body: answers })
    const count = (keyword: string) =>
      stack.db.oneFirst(sql.typeAlias('count')`
      select count(*) from sms.messages
      where phone = ${phone} and direction = 'outbound' and keyword = ${keyword}`)
    await Promise.all(Array.from({ length: 6 }, () => hear(phone, 'HELP')))
    t.equal(await count('help'), 1)
    for (let i = 0; i < 2; i++) {
      t.equal((await hear(phone, 'STOP')).status, 200)
      t.match(await say(phone), { body: { error: { code: 'recipient_opted_out' } } }, 'each STOP is obeyed')
      t.equal((await hear(phone, 'START')).status, 200)
      t.equal((await say(phone)).status, 200, 'each START is obeyed')
    }
    t.same([await count('stop'), await count('start')], [1, 1])
    await hear('+37255700006', 'HELP')
    const other = sql.typeAlias(
      'count',
    )`select count(*) from sms.messages where phone = '+37255700006' and keyword = 'help'`
    t.equal(await stack.db.oneFirst(other), 2, 'another number is answered')
    await stack.db.query(sql.typeAlias('void')`
    update sms.messages set created_at = created_at - interval '10 minutes' where phone = ${phone}`)
    await hear(phone, 'HELP')
    t.equal(await count('help'), 2)
    await ask('PUT /v1/sms/settings', { body: {} })
  },
)

t.test('an opt-out can be limited to the sender that received it', async (t) => {
  const phone = '+37255700002'
  await ask('PUT /v1/sms/settings', { body: { stop_scope: 'sender' } })
  await hear(phone, 'STOPP', { to: '+3725550107' })
  t.equal((await say(phone)).status, 200)
  t.match(await say(phone, 'Hello', { from: '+3725550107' }), { body: { error: { code: 'recipient_opted_out' } } })
  await ask('PUT /v1/sms/settings', { body: {} })
})

t.test('STOP is obeyed however the provider writes the number', async (t) => {
  for (const [i, written] of ['00372 5570 0021', '37255700022', '+372-5570-0023', '(+372) 5570.0024'].entries()) {
    t.equal((await hear(written, 'STOP')).status, 200)
    t.match(await say(`+3725570002${i + 1}`), { body: { error: { code: 'recipient_opted_out' } } }, written)
  }
})

t.test('a code 21610 of Twilio adds an opt-out', async (t) => {
  const phone = '+37255700003'
  const { body: before } = await say('+37255700009')
  await until(async () => (await stack.read(before.id)).body.status === 'sent')
  server.next.push(twilioError(21_610))
  await say(phone)
  await until(async () => (await say(phone)).body.error?.code === 'recipient_opted_out')
  t.match((await ask('GET /v1/sms/opt-outs?source=provider')).body.data, [{ phone, source: 'provider' }])
})

t.test('keywords are found in many languages, and only alone', (t) => {
  for (const word of [
    'STOP',
    'stop.',
    'Stopall',
    'ARRÊT',
    'arret',
    'İPTAL',
    'ΔΙΑΚΟΠΗ',
    'СТОП',
    '停止',
    'توقف',
    'Abmelden',
    'BAJA',
  ])
    t.equal(findKeyword(word), 'stop', word)
  for (const word of ['START', 'unstop', 'Старт']) t.equal(findKeyword(word), 'start', word)
  for (const word of ['help', 'INFO', 'Hilfe', 'помощь']) t.equal(findKeyword(word), 'help', word)
  for (const text of ['please stop', 'stop it', 'nonstop', '', '?', 'x'.repeat(500)])
    t.equal(findKeyword(text), null, text)
  t.end()
})

t.test('segments are counted as networks count them', (t) => {
  for (const [text, encoding, segments] of [
    ['', 'gsm7', 1],
    ['a'.repeat(160), 'gsm7', 1],
    ['a'.repeat(161), 'gsm7', 2],
    ['€'.repeat(80), 'gsm7', 1],
    ['€'.repeat(81), 'gsm7', 2],
    [`${'a'.repeat(152)}€${'a'.repeat(100)}`, 'gsm7', 2],
    [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 'gsm7', 3],
    ['ç'.repeat(70), 'ucs2', 1],
    ['é'.repeat(160), 'gsm7', 1],
    ['я'.repeat(70), 'ucs2', 1],
    ['я'.repeat(71), 'ucs2', 2],
    ['😀'.repeat(35), 'ucs2', 1],
    ['😀'.repeat(36), 'ucs2', 2],
    [`${'a'.repeat(66)}😀${'a'.repeat(66)}`, 'ucs2', 3],
  ] as const)
    t.same(countSegments(text), { encoding, segments }, `${text.slice(0, 5)}… of ${text.length}`)
  t.end()
})

t.test('a message without the expected form is skipped, and one with strange characters is stored', async (t) => {
  const path = `/v1/sms/callbacks/${stack.providerId}/inbound`
  t.equal((await callback(path, { hello: '1' })).status, 200)
  t.equal((await hear('12345', 'from a short code \u0000 \ud800 end')).status, 200)
  const { body } = await ask('GET /v1/sms/messages?direction=inbound&limit=1')
  t.match(body.data[0], { from: '12345', keyword: null })
})
