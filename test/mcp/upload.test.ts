import { createHash } from 'node:crypto'
import t from 'tap'
import { filesStack } from '../support/files-stack.ts'
import { connectCurrent } from './stack.ts'

t.setTimeout(240_000)

const files = await filesStack(t, { areas: ['mcp'] })
await files.startWorkers()
const owner = { product_key: 'crm', tenant_id: 'acme' }
const create = (body: unknown) => files.ask('POST /v1/files/objects', { body })

t.test('a small file is uploaded in one request, scanned and downloaded', async (t) => {
  const text = 'Call back on Monday: grüße ✓'
  const made = await create({ ...owner, filename: 'notes.txt', text, folder: 'calls', metadata: { order: '1042' } })
  t.match(made, {
    status: 201,
    body: { filename: 'notes.txt', content_type: 'text/plain', byte_size: Buffer.byteLength(text), folder: 'calls' },
  })
  t.match(await files.settled(made.body.object_id), { scan_status: 'clean', metadata: { order: '1042' } })
  const { bytes } = await files.download(made.body.object_id)
  t.equal(bytes?.toString(), text)
})

t.test('base64 holds any bytes, and the body limits its size', async (t) => {
  const bytes = Buffer.alloc(1024 * 1024, 7)
  const binary = { ...owner, filename: 'a.bin', content_type: 'application/octet-stream' }
  const made = await create({ ...binary, base64: bytes.toString('base64') })
  t.equal(made.status, 201)
  const { sha256 } = await files.settled(made.body.object_id)
  t.equal(sha256, createHash('sha256').update(bytes).digest('hex'))
  const fieldsOf = async (body: unknown) => {
    const { status, body: answer } = await create(body)
    return [status, ...answer.error.details.map(({ field }: { field: string }) => field)]
  }
  t.same(await fieldsOf({ ...binary, base64: Buffer.alloc(1024 * 1024 + 3).toString('base64') }), [400, 'body.base64'])
  t.same(await fieldsOf({ ...binary, text: 'x'.repeat(1024 * 1024 + 1) }), [400, 'body.text'])
  t.same(await fieldsOf({ ...binary, base64: 'not base64!' }), [400, 'body.base64'])
  t.same(await fieldsOf(binary), [400, 'body.text'])
  t.same(await fieldsOf({ ...binary, text: 'a', base64: 'YQ==' }), [400, 'body.text'])
  t.same(await fieldsOf({ ...binary, filename: '../a', text: 'a', byte_size: 1 }), [
    400,
    'body.filename',
    'body.byte_size',
  ])
})

t.test('a model uploads a file, reads its verdict, and deletes it', async (t) => {
  const client = await connectCurrent(t, files.base.ingress.url, files.key)
  const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')
  const made = await client.call('upload_file', { ...owner, filename: 'eicar.txt', text: eicar })
  const { object_id: id } = made.structuredContent
  await files.settled(id)
  t.match((await client.call('get_file', { id })).structuredContent, { scan_status: 'infected' })
  t.match(await client.call('create_download_url', { id }), {
    isError: true,
    structuredContent: { error: { code: 'not_clean' } },
  })
  t.match(await client.call('delete_file', { id }), { content: [{ text: /./ }] })
})
