import '../support/chat-environment.ts'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { createSeal } from '#lib/seal.ts'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { sealPurpose } from '#sql/webhooks/endpoints.ts'
import { testConnection } from '#tasks/notify/test-connection.ts'
import { hangUp, reply } from '../sms/provider-server.ts'
import { emittedTo } from '../support/emitted.ts'
import { until } from '../support/until.ts'
import { chatStack } from './chat-stack.ts'
import { traceOf } from './flows.ts'
import { person, secret } from './people.ts'

t.setTimeout(240_000)
const { db, dev, server, connect, posted, ended, flow, start, run, sender } = await chatStack(t)

/** A person with connections. */
async function somebody(connection_ids: string[], more: object = {}): Promise<string> {
  const user = person()
  const { status, text } = await dev.ask(`PUT /v1/notify/people/${user}`, { body: { connection_ids, ...more } })
  if (status !== 200) throw new Error(text)
  return user
}

/** Sends an event to a person on one channel and returns the copy's result. */
async function tell(user: string, channel: string, more: object = {}) {
  const { body } = await dev.tell(user, { channels: [channel], ...more })
  return await until(async () => {
    const { body: event } = await dev.ask(`GET /v1/notify/events/${body.id}`)
    const copy = event.copies?.find((one: { channel: string }) => one.channel === channel)
    return copy && copy.status !== 'waiting' && copy
  })
}

t.test(
  'an event reaches Slack, Teams, Discord and a URL in their formats, with nothing that notifies everyone',
  async (t) => {
    const made = {
      slack: await connect('slack', '/slack'),
      teams: await connect('teams', '/teams'),
      discord: await connect('discord', '/discord'),
      url: await connect('url', '/url'),
    }
    const user = await somebody(Object.values(made).map(({ id }) => id))
    const said = {
      title: 'Order <!channel> *42*',
      body: '@everyone [x](http://evil.example) <@U1>',
      url: 'https://shop.example/1',
    }
    for (const channel of Object.keys(made)) {
      const copy = await tell(user, channel, said)
      t.match(copy, { status: 'accepted' }, channel)
      t.match(await ended(copy.message_id), { status: 'sent', title: said.title }, channel)
    }
    const [slack] = posted('/slack')
    t.match(slack?.json.blocks[0].text, { type: 'mrkdwn', text: '*Order &lt;!channel&gt; ∗42∗*' })
    t.match(slack?.json.blocks[1].text, { type: 'plain_text', text: said.body })
    const [teams] = posted('/teams')
    t.match(teams?.json.attachments[0].content, { type: 'AdaptiveCard', actions: [{ url: said.url }] })
    t.equal(teams?.json.attachments[0].content.body[1].inlines[0].text, said.body)
    const [discord] = posted('/discord')
    t.same(discord?.json.allowed_mentions, { parse: [] })
    t.equal(discord?.json.embeds[0].description, '\\@everyone \\[x\\]\\(http\\://evil.example\\) \\<\\@U1\\>')
    const [signed] = posted('/url')
    const webhook = new Webhook(made.url.secret as string)
    const verified = webhook.verify(signed?.raw ?? '', signed?.headers as Record<string, string>)
    t.match(verified, { type: 'notify.message', data: { title: said.title, body: said.body, user_id: user } })
  },
)

t.test('429 and 500 are repeated, 400 fails, no response is unknown, 410 disables the connection', async (t) => {
  const { id } = await connect('slack', '/faults')
  const user = await somebody([id])
  server.next.push(reply(429, {}, { 'retry-after': '1' }), reply(500, 'rollup_error'))
  const repeated = await ended((await tell(user, 'slack')).message_id)
  t.match(repeated, { status: 'sent' })
  t.equal(posted('/faults').length, 3)
  server.next.push(reply(400, 'invalid_payload secret words'))
  const refused = await ended((await tell(user, 'slack')).message_id)
  t.match(refused, { status: 'failed', error: { code: 'refused', http_status: 400 } })
  t.notMatch(JSON.stringify(refused), 'secret words')
  server.next.push(hangUp)
  t.match(await ended((await tell(user, 'slack')).message_id), { status: 'unknown', error: { code: 'no_response' } })
  t.equal(posted('/faults').length, 5, 'a message without a response is not repeated')
  server.next.push(reply(410, 'channel_is_archived'))
  t.match(await ended((await tell(user, 'slack')).message_id), { status: 'failed', error: { code: 'gone' } })
  const { body } = await dev.ask(`GET /v1/notify/connections/${id}`)
  t.match(body, { state: 'disabled', reason: /410/ })
  t.ok(emittedTo(dev.orgId).some(({ type }) => type === 'notify.connection.disabled'))
  const event = await dev.tell(user, { channels: ['slack'] })
  t.match(event.body.channels.at(-1), { channel: 'slack', used: false, reason: 'no_connection' })
  const again = await dev.ask(`POST /v1/notify/connections/${id}/test`, { body: {} })
  t.match(again.body, { delivered: true, connection: { state: 'active' } })
})

t.test('a message that is repeated is not sent once its key can no longer notify', async (t) => {
  const { id } = await connect('slack', '/scopes')
  const user = await somebody([id])
  const key = await keys.create(db, { orgId: dev.orgId, prefix: 'bt_live_', name: 'n', scopes: ['notify:write'] })
  const narrow = () =>
    db.query(sql.typeAlias('void')`update account.keys set scopes = '{notify:read}' where id = ${key.id}`)
  server.next.push((_, response) => {
    void narrow().then(() => response.writeHead(429, { 'retry-after': '1' }).end())
  })
  const body = { product_key: 'shop', type: 'x', title: 'X', subject_user_id: user, channels: ['slack'] }
  const told = await dev.ask('POST /v1/notify/events', { key: key.secret, body })
  const copy = await until(async () => {
    const { body: event } = await dev.ask(`GET /v1/notify/events/${told.body.id}`)
    return event.copies?.find((one: { message_id: string | null }) => one.message_id !== null)
  })
  t.match(await ended(copy.message_id), { status: 'failed', error: { code: 'key_revoked' } })
  t.equal(posted('/scopes').length, 1)
})

t.test('a test message to a URL that was replaced meanwhile verifies nothing', async (t) => {
  const { id } = await connect('url', '/before')
  const path = `/v1/notify/connections/${id}`
  const replaced = {
    async request() {
      server.next.push(reply(400, {}))
      await dev.ask(`PATCH ${path}`, { body: { url: `${server.url}/after` } })
      await until(async () => (await dev.ask(`GET ${path}`)).body.reason !== null)
      return { status: 200, headers: {}, body: Buffer.alloc(0) }
    },
  }
  const tools = { db, outbound: replaced, local: replaced, seal: createSeal(secret, sealPurpose) }
  const signal = new AbortController().signal
  await testConnection.run({ connectionId: id }, { ...tools, signal } as unknown as Parameters<
    typeof testConnection.run
  >[1])
  t.match((await dev.ask(`GET ${path}`)).body, { state: 'unverified' })
})

t.test('a workflow uses chat services and SMS; without a connection or a phone, the step is skipped', async (t) => {
  const { id } = await connect('teams', '/flow')
  await flow(dev, [
    { type: 'channel', channel: 'teams' },
    { type: 'channel', channel: 'sms' },
    { type: 'channel', channel: 'discord' },
  ])
  t.same(traceOf(await run(dev, await start(dev, await somebody([id], { phone: '+3725550123' })))), [
    'teams done',
    'sms refused not_configured',
    'discord skipped no_connection',
  ])
  t.same(traceOf(await run(dev, await start(dev, await somebody([])))), [
    'teams skipped no_connection',
    'sms skipped no_phone',
    'discord skipped no_connection',
  ])
  await connect('discord', '/default', { default: true })
  const last = await run(dev, await start(dev, await somebody([])))
  t.equal(traceOf(last).at(-1), 'discord done')
})

t.test('another organisation has neither the URL nor the connections', async (t) => {
  const other = await sender()
  const { id } = await connect('slack', '/own')
  t.match(
    (await other.ask(`PUT /v1/notify/people/${person()}`, { body: { connection_ids: [id] } })).body.error.details,
    [{ field: 'body.connection_ids.0' }],
  )
  for (const [kind, url] of [
    ['slack', `${server.url}/x`],
    ['slack', 'https://hooks.slack.com.evil.example/services/x'],
    ['slack', 'https://evil.example/services/x'],
    ['slack', 'http://hooks.slack.com/services/x'],
    ['discord', 'https://discord.com/channels/1'],
    ['teams', 'https://webhook.office.com.evil.example/x'],
    ['url', 'https://169.254.169.254/'],
    ['url', `${server.url}/x`],
  ] as const)
    t.match(
      (await other.ask('POST /v1/notify/connections', { body: { kind, name: 'x', url } })).body.error.details,
      [{ field: 'body.url' }],
      url,
    )
})
