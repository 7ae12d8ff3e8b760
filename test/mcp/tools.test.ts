import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { testOrg } from '../support/ingress.ts'
import { connectCurrent, connectEarlier, type McpClient, mcpStack, type Result } from './stack.ts'

t.setTimeout(240_000)

const stack = await mcpStack(t)
const one = await stack.sender()
const { url, db } = stack

const namesOf = async (client: McpClient): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name)
const email = (to: unknown = 'ann@rcpt.example') => ({
  stream: 'transactional',
  from: { email: `orders@${one.domain}` },
  ...{ to, subject: 'Your order', text: 'It is on its way.' },
})
const textOf = ({ content }: Result): string => content.map(({ text }) => text).join('\n')

const connections: Record<string, (t: Parameters<typeof connectEarlier>[0], key: string) => Promise<McpClient>> = {
  'the current client': (t, key) => connectCurrent(t, url, key),
  'the current client that finds the version': (t, key) => connectCurrent(t, url, key, 'auto'),
  'the current client with the earlier protocol': (t, key) => connectCurrent(t, url, key, 'legacy'),
  'the earlier client': (t, key) => connectEarlier(t, url, key),
}

for (const [name, connect] of Object.entries(connections)) {
  t.test(`${name} lists tools, calls them, and reads guides`, async (t) => {
    const client = await connect(t, one.key)
    const names = await namesOf(client)
    t.ok(['send_email', 'list_emails', 'whoami', 'search_docs'].every((tool) => names.includes(tool)))
    t.notOk(names.includes('create_job'), 'the key lacks jobs:write')
    t.match((await client.call('whoami')).structuredContent, { key: { mode: 'live' } })
    const sent = await client.call('send_email', email())
    t.match(sent, { structuredContent: { status: 'queued', accepted: true } })
    const { id } = sent.structuredContent
    t.match((await client.call('get_email', { id })).structuredContent, { id, to: 'ann@rcpt.example' })
    t.match((await client.call('list_emails', { limit: 1, status: 'queued' })).structuredContent, {
      data: [{ id }],
    })
    const { resources } = await client.client.listResources()
    t.ok(resources.some(({ uri }) => uri === 'millrace://docs/guides/email.md'))
    const { contents } = await client.client.readResource({ uri: 'millrace://docs/guides/email.md' })
    t.match(contents[0], { mimeType: 'text/markdown', text: /^# Email/ })
    await t.rejects(client.client.readResource({ uri: 'millrace://docs/guides/../../v1.md' }), /does not exist/)
    await t.rejects(client.call('no_such_tool'), /does not exist/)
  })
}

t.test('annotations say which tools only read and which ones delete', async (t) => {
  const client = await connectCurrent(t, url, one.key)
  const { tools } = await client.listTools()
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
  t.match(hints, {
    list_emails: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    send_email: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    cancel_email: { readOnlyHint: false, destructiveHint: true },
  })
})

t.test('a result names every invalid argument', async (t) => {
  const client = await connectCurrent(t, url, one.key)
  const wrong = await client.call('send_email', { ...email(5), stream: 'x', colour: 'red' })
  t.equal(wrong.isError, true)
  t.same(wrong.structuredContent.error.details.map(({ field }: { field: string }) => field).sort(), [
    'colour',
    'stream',
    'to',
  ])
  t.match(textOf(wrong), /^stream: must be .*colour: is not a field.*\(bad_request, HTTP 400, request /)
  t.match(await client.call('list_emails', { limit: 0, page: 2 }), {
    isError: true,
    structuredContent: { error: { details: [{ field: 'query' }, { field: 'page' }, { field: 'limit' }] } },
  })
  t.match(await client.call('get_email', { ids: 'x' }), {
    isError: true,
    structuredContent: { error: { details: [{ field: 'id', issue: 'is required' }, { field: 'ids' }] } },
  })
  t.match(await client.call('send_email', { ...email(), attachments: [] }), {
    isError: true,
    structuredContent: { error: { details: [{ field: 'attachments', issue: 'is not an argument of this tool' }] } },
  })
  t.match(await client.call('get_email', { id: newId() }), {
    isError: true,
    structuredContent: { error: { status: 404, code: 'not_found' } },
  })
  for (const id of ['..', '%2e%2e', '../domains', 'a?limit=1', 'a#b'])
    t.match(await client.call('get_email', { id }), { structuredContent: { error: { status: 404 } } }, id)
})

t.test('an idempotency key makes a repeated call return the first result', async (t) => {
  const client = await connectCurrent(t, url, one.key)
  const [first, second] = [
    await client.call('send_email', { ...email(), idempotency_key: 'order-1' }),
    await client.call('send_email', { ...email(), idempotency_key: 'order-1' }),
  ]
  t.equal(first.structuredContent.id, second.structuredContent.id)
})

t.test('a key without the scope does not see a tool and cannot call it', async (t) => {
  const { keys } = await testOrg(db, ['account:read'])
  const client = await connectCurrent(t, url, keys.main)
  const names = await namesOf(client)
  t.ok(names.includes('get_usage'))
  t.notOk(names.includes('send_email'))
  t.match(await client.call('send_email', email()), {
    isError: true,
    structuredContent: { error: { status: 403, code: 'forbidden', message: /email:send/ } },
  })
})

t.test('the locks of a key bind its tools', async (t) => {
  const client = await connectCurrent(t, url, one.locked)
  const names = await namesOf(client)
  t.ok(names.includes('send_email'))
  t.notOk(names.includes('list_suppressions'), 'the operation is not limited to a domain')
  t.match(await client.call('send_email', email()), { isError: true, structuredContent: { error: { status: 403 } } })
})

t.test('with a test key, messages are recorded and not delivered', async (t) => {
  const client = await connectCurrent(t, url, one.sandbox)
  t.match((await client.call('whoami')).structuredContent, { key: { mode: 'test' } })
  const sent = await client.call('send_email', email())
  const row = await db.one(sql.unsafe`select sandbox from email.messages where id = ${sent.structuredContent.id}`)
  t.same(row, { sandbox: true })
})

t.test('a result that is too large is cut, and says how to get the rest', async (t) => {
  const client = await connectCurrent(t, url, one.key)
  const html = 'x'.repeat(400)
  const domain = one.domain
  for (let i = 0; i < 2; i++)
    await one.ask('POST /send/v1/messages/batch', {
      body: {
        messages: Array.from({ length: 100 }, (_, n) => ({
          ...email(`a${i}-${n}@rcpt.example`),
          subject: html,
          from: { email: `orders@${domain}` },
        })),
      },
    })
  const result = await client.call('list_emails', { limit: 100 })
  t.notOk(result.structuredContent)
  t.match(textOf(result), /^The result has \d+ characters\. .*smaller `limit`/)
  t.ok(textOf(result).length < 61_000)
})

t.test('the documentation can be searched and read by section', async (t) => {
  const client = await connectCurrent(t, url, one.key)
  const { data } = (await client.call('search_docs', { q: 'verify webhook signature' })).structuredContent
  t.ok(data.length > 0)
  const guide = (await client.call('read_docs', { guide: 'email' })).structuredContent
  t.equal(guide.truncated, true)
  const part = (await client.call('read_docs', { guide: 'email', section: 'schedule-and-cancel-a-message' }))
    .structuredContent
  t.match(part, { truncated: false, markdown: /^## Schedule and cancel/ })
  t.match(await client.call('read_docs', { guide: 'nothing' }), { isError: true })
})
