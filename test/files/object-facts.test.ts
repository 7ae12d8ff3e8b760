import t from 'tap'
import { filesStack, put } from '../support/files-stack.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

t.setTimeout(120_000)
const stack = await filesStack(t)
const { ask, send, settled, download } = stack
await stack.startWorkers()

const path = (id: string) => `/v1/files/objects/${id}`
const patch = (id: string, body: object, key?: string) => ask(`PATCH ${path(id)}`, { body, ...(key && { key }) })
const upload = async (text: string, facts: object = {}): Promise<string> => {
  const { body, text: said, status } = await send(text, facts)
  if (status !== 200) throw new Error(said)
  await settled(body.object_id)
  return body.object_id
}
const listed = async (query: string, key?: string) =>
  (await ask(`GET /v1/files/objects?${query}`, { ...(key && { key }) })).body.data.map(
    ({ object_id }: { object_id: string }) => object_id,
  )

t.test('metadata and a folder are set at the upload, changed, and found', async (t) => {
  const facts = { metadata: { order: '1042', customer: 'Ada' }, folder: 'invoices/2026' }
  const id = await upload('the invoice', { filename: 'invoice.txt', ...facts })
  t.match((await ask(`GET ${path(id)}`)).body, { ...facts, expires_at: null })
  const other = await upload('another invoice', { metadata: { order: '1043' }, folder: 'invoices/2025' })
  t.same(await listed('metadata=order:1042'), [id])
  t.same(await listed('metadata=order:1043'), [other])
  t.same(await listed('folder=invoices/2026'), [id])
  t.same(await listed('folder=invoices'), [])
  t.same(await listed('prefix=invoices/'), [other, id])
  t.same(await listed('prefix=invoices/2026&metadata=customer:Ada&scan_status=clean'), [id])
  const changed = await patch(id, { metadata: { order: '7', customer: null }, folder: 'archive' })
  t.match(changed.body, { metadata: { order: '7' }, folder: 'archive', filename: 'invoice.txt' })
  t.same(changed.body.metadata, { order: '7' })
  t.same([await listed('metadata=order:1042'), await listed('metadata=order:7')], [[], [id]])
  t.same(await listed('folder='), [])
  await patch(id, { folder: '', metadata: null })
  t.same(await listed('folder='), [id])
  t.same((await ask(`GET ${path(id)}`)).body.metadata, {})
})

t.test('folders are listed one level at a time, in the order of their names', async (t) => {
  const { keys } = await testOrg(stack.base.db, ['files:read', 'files:write'])
  const start = (folder: string, tenant_id = 'acme') =>
    ask('POST /v1/files/uploads', {
      key: keys.main as string,
      body: { product_key: 'crm', tenant_id, filename: 'a.txt', content_type: 'text/plain', byte_size: 1, folder },
    })
  for (const one of ['a', 'a/b', 'a/b/c', 'a-b', 'a/c', 'é/ü', 'z', '']) t.equal((await start(one)).status, 200, one)
  await start('elsewhere', 'other')
  const folders = async (query = '') => {
    const { body } = await ask(`GET /v1/files/folders?${query}`, { key: keys.main as string })
    return { names: body.data.map(({ folder }: { folder: string }) => folder), next: body.next_cursor }
  }
  t.same((await folders()).names, ['a', 'a-b', 'elsewhere', 'z', 'é'])
  t.same((await folders('parent=a')).names, ['a/b', 'a/c'])
  t.same((await folders(`parent=${encodeURIComponent('é')}`)).names, ['é/ü'])
  t.same((await folders('parent=b')).names, [])
  t.same((await folders('tenant_id=other')).names, ['elsewhere'])
  const first = await folders('limit=2')
  t.same(first.names, ['a', 'a-b'])
  t.same((await folders(`limit=2&cursor=${first.next}`)).names, ['elsewhere', 'z'])

  const move = (body: object) => ask('POST /v1/files/folders/move', { key: keys.main as string, body })
  t.match((await move({ from: 'a', to: 'x/y', tenant_id: 'other' })).body, { moved: 0 })
  t.match(await move({ from: 'a', to: 'x/y' }), { status: 200, body: { moved: 4 } })
  t.same((await folders('parent=x/y')).names, ['x/y/b', 'x/y/c'])
  t.same((await folders()).names, ['a-b', 'elsewhere', 'x', 'z', 'é'])
  t.match((await move({ from: 'x/y', to: '' })).body, { moved: 4 })
  t.same((await folders()).names, ['a-b', 'b', 'c', 'elsewhere', 'z', 'é'])
  t.same(fieldsOf(await move({ from: 'a', to: 'a/b' })), ['body.to'])
  t.same(fieldsOf(await move({ from: '', to: '/x' })), ['body.from', 'body.to'])
  t.same(fieldsOf(await move({ from: 'b', to: 'l'.repeat(400) })), ['body.to'], 'the paths below would be too long')
  const elsewhere = { from: 'b', to: 'l'.repeat(400), tenant_id: 'other' }
  t.match(await move(elsewhere), { status: 200, body: { moved: 0 } }, 'other tenants have no say')
})

t.test('a renamed object keeps its bytes, and downloads have the new name', async (t) => {
  const id = await upload('a letter', { filename: 'letter.txt' })
  const { body } = await patch(id, { filename: 'Ünser Brief.txt' })
  t.match(body, { filename: 'Ünser Brief.txt', scan_status: 'clean' })
  const { got, bytes, asked } = await download(id)
  t.equal(asked.body.filename, 'Ünser Brief.txt')
  t.match(got?.headers.get('content-disposition'), /filename\*=UTF-8''%C3%9Cnser%20Brief\.txt/)
  t.equal(bytes?.toString(), 'a letter')
  t.equal((await ask(`GET ${path(id)}/scans`)).body.data.length, 1, 'its verdict holds')
})

t.test('a name with another extension is scanned again: a rename cannot avoid the scan', async (t) => {
  const id = await upload('#!/bin/sh\necho renamed\n', { filename: 'run.sh', content_type: 'text/x-sh' })
  t.equal((await ask(`GET ${path(id)}`)).body.scan_status, 'clean')
  const { body } = await patch(id, { filename: 'holiday.png' })
  t.not(body.scan_status, 'clean')
  t.equal((await settled(id)).scan_status, 'suspicious')
  t.equal((await download(id)).asked.status, 409)
  await patch(id, { filename: 'run.sh' })
  t.equal((await settled(id)).scan_status, 'clean')
})

t.test('all versions share metadata, folder and expiry; each has its own name', async (t) => {
  const id = await upload('one', { filename: 'one.txt', folder: 'f', metadata: { a: '1' } })
  const started = await ask(`POST ${path(id)}/versions`, { body: { content_type: 'text/plain', byte_size: 3 } })
  await put(started.body, 'two')
  const second = started.body.object_id
  await ask(`POST /v1/files/uploads/${second}/complete`, { body: {} })
  t.match(await settled(second), { folder: 'f', metadata: { a: '1' }, filename: 'one.txt' })
  t.match((await patch(second, { folder: 'g' })).body, { folder: 'g', version: 2 })
  t.match((await patch(id, { filename: 'two.txt' })).body, { folder: 'g', version: 2, filename: 'two.txt' })
  const { data } = (await ask(`GET ${path(id)}/versions`)).body
  t.same(
    data.map(({ filename }: { filename: string }) => filename),
    ['two.txt', 'one.txt'],
  )
  const { sha256 } = data[1]
  t.same(await listed(`sha256=${sha256.toUpperCase()}`), [id], 'found by the content of an earlier version')
})

t.test('a hash is looked up within the organisation and the tenant only', async (t) => {
  const id = await upload('known content', { tenant_id: 'acme' })
  const { sha256 } = (await ask(`GET ${path(id)}`)).body
  t.same(await listed(`sha256=${sha256}`), [id])
  t.same(await listed(`sha256=${sha256}&tenant_id=other`), [])
  const { keys } = await testOrg(stack.base.db, ['files:read'])
  t.same(await listed(`sha256=${sha256}`, keys.main as string), [])
})

t.test('an expired object is gone at its time, and its download URL does not outlive it', async (t) => {
  const id = await upload('short-lived', { expires_in: 3_600 })
  const { body } = await ask(`GET ${path(id)}`)
  t.ok(Math.abs(Date.parse(body.expires_at) - Date.now() - 3_600_000) < 60_000)
  const soon = new Date(Date.now() + 60_000).toISOString()
  t.equal((await patch(id, { expires_at: soon })).body.expires_at, soon)
  t.ok((await download(id)).asked.body.expires_in_seconds <= 60)
  t.equal((await patch(id, { expires_at: null })).body.expires_at, null)
  await patch(id, { expires_at: new Date(Date.now() + 1_000).toISOString() })
  await until(async () => (await ask(`GET ${path(id)}`)).status === 404, { what: 'the object expires' })
  t.equal((await ask(`POST ${path(id)}/download-url`, { body: {} })).status, 404)
  t.equal((await patch(id, { expires_at: null })).status, 404, 'it does not come back')
})

t.test('every invalid field is named', async (t) => {
  const id = await upload('invalid changes')
  const wrong = {
    filename: 'a/b',
    folder: '/x',
    metadata: { 'not a key': 'x' },
    expires_at: '2001-01-01T00:00:00Z',
    expires_in: 5,
    visible: true,
  }
  const refused = await patch(id, wrong)
  t.equal(refused.status, 400)
  t.same(fieldsOf(refused).toSorted(), [
    'body.expires_at',
    'body.expires_in',
    'body.filename',
    'body.folder',
    'body.metadata.not a key',
    'body.visible',
  ])
  t.same(fieldsOf(await patch(id, {})), ['body'])
  for (const filename of ['.', '..']) t.same(fieldsOf(await patch(id, { filename })), ['body.filename'], filename)
  const soon = new Date(Date.now() + 100_000).toISOString()
  t.same(fieldsOf(await patch(id, { expires_at: soon, expires_in: 100 })), ['body.expires_in'])
  for (const folder of ['a//b', 'a/', '.', 'a/../b', ' ', 'a\u0000', 'x'.repeat(401)])
    t.same(fieldsOf(await patch(id, { folder })), ['body.folder'], folder)
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v']))
  t.same(fieldsOf(await patch(id, { metadata: many })), ['body.metadata'])
  t.same(fieldsOf(await ask('GET /v1/files/objects?sha256=abc&metadata=x&folder=%2F&prefix=')), [
    'query.folder',
    'query.metadata',
    'query.prefix',
    'query.sha256',
  ])
  const { keys } = await testOrg(stack.base.db, ['files:read', 'files:write'])
  t.equal((await patch(id, { folder: 'x' }, keys.main as string)).status, 404)
  t.equal((await patch(id, { folder: 'x', tenant_id: 'other' })).status, 404)
})
