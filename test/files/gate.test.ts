import { createHash } from 'node:crypto'
import t from 'tap'
import { eicar } from '../../ops/embedded/signatures.ts'
import { buildZip64 } from '../../ops/tour/zip64.ts'
import { isInstalled } from '../../workers/sandbox/programs.ts'
import { filesStack, put } from '../support/files-stack.ts'
import { until } from '../support/until.ts'
import { encryptedPdf } from './tools.ts'

t.setTimeout(240_000)
const stack = await filesStack(t)
await stack.startWorkers()

t.test('a clean file is scanned and can be downloaded, as an attachment under its name', async (t) => {
  const text = 'A letter, und etwas Ümläutiges.\n'
  const reply = await stack.send(text, { filename: 'letter to "Ümlaut".txt' })
  t.equal(reply.status, 200)
  const object = await stack.settled(reply.body.object_id)
  t.match(object, {
    scan_status: 'clean',
    sha256: createHash('sha256').update(text).digest('hex'),
    verdict: { engine: /^ClamAV/, signature_version: /^local\./, reasons: [] },
    quarantined: false,
  })
  const { asked, got, bytes } = await stack.download(object.object_id)
  t.match(asked.body, { expires_in_seconds: 300, byte_size: Buffer.byteLength(text) })
  t.equal(bytes?.toString(), text)
  t.match(
    got?.headers.get('content-disposition'),
    /^attachment; filename="letter to _.mlaut_\.txt"; filename\*=UTF-8''/,
  )
  t.equal(got?.headers.get('x-content-type-options'), 'nosniff')
})

t.test('an infected file is put away, and nobody gets its bytes', async (t) => {
  const reply = await stack.send(eicar, { filename: 'eicar.com', content_type: 'application/octet-stream' })
  const object = await stack.settled(reply.body.object_id)
  t.match(object, { scan_status: 'infected', verdict: { reasons: [{ detail: /Eicar/i }] } })
  const { asked } = await stack.download(object.object_id)
  t.equal(asked.status, 409)
  t.match(asked.body.error, { code: 'not_clean', details: { scan_status: 'infected' } })
  await until(async () => (await stack.base.store.list(`files/quarantine/${object.object_id}/`)).length === 1)
  await until(async () => (await stack.base.store.list(`files/objects/${object.object_id}/`)).length === 0)
  t.equal((await stack.ask(`GET /v1/files/objects/${object.object_id}`)).body.quarantined, true)
})

const skip = (await isInstalled('qpdf')) ? false : 'no qpdf here'

t.test('a PDF that only its owner has a password for is judged; one that asks for it is not', { skip }, async (t) => {
  const facts = { filename: 'contract.pdf', content_type: 'application/pdf' }
  const sent = [await encryptedPdf(), await encryptedPdf({ user: 'secret' })].map((bytes) => stack.send(bytes, facts))
  const objects = (await Promise.all(sent)).map(({ body }) => stack.settled(body.object_id))
  const statuses = (await Promise.all(objects)).map(({ scan_status }) => scan_status)
  t.strictSame(statuses, ['clean', 'unscannable'])
})

t.test('an empty file is clean', async (t) => {
  const reply = await stack.send('')
  const object = await stack.settled(reply.body.object_id)
  t.equal(object.scan_status, 'clean')
  t.equal((await stack.download(object.object_id)).bytes?.length, 0)
})

t.test('what is served is what was scanned, whatever is put to the upload URL meanwhile or later', async (t) => {
  const upload = await stack.start('good')
  await put(upload, 'good')
  const completing = stack.ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} })
  const storm = Array.from({ length: 20 }, () => put(upload, 'evil'))
  const [completed] = await Promise.all([completing, ...storm])
  const object = await stack.settled(upload.object_id)
  t.equal(completed.status, 200)
  t.equal(object.scan_status, 'clean')
  await put(upload, 'late')
  const again = await stack.ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} })
  t.equal(again.body.sha256, object.sha256)
  const { bytes } = await stack.download(upload.object_id)
  t.equal(
    createHash('sha256')
      .update(bytes ?? '')
      .digest('hex'),
    object.sha256,
  )
})

t.test('EICAR is found in an archive that ClamAV alone passes', async (t) => {
  const bytes = buildZip64('photo.com', Buffer.from(eicar))
  const { body } = await stack.send(bytes, { filename: 'holiday.zip', content_type: 'application/octet-stream' })
  t.equal((await stack.settled(body.object_id)).scan_status, 'infected')
})
