import t, { test } from 'tap'
import { isInstalled } from '../../workers/sandbox/programs.ts'
import { eicar, zip } from './archives.ts'
import { engineOf, examineBytes, standIn } from './stand-in.ts'
import { encryptedPdf } from './tools.ts'

const skip = (await isInstalled('qpdf')) ? false : 'no qpdf here'
const folder = t.testdir()

const pdf = (bytes: Buffer, more = {}) =>
  examineBytes(folder, { bytes, name: 'a.pdf', type: 'application/pdf', ...more })

test('a PDF that opens without a password is judged by what it shows, however it is encrypted', { skip }, async (t) => {
  for (const strength of ['40', '128 --use-aes=n', '128 --use-aes=y', '256 --force-R5', '256']) {
    const bytes = await encryptedPdf({ strength })
    t.match(await pdf(bytes), { status: 'clean', sniffedType: 'application/pdf', reasons: [] }, strength)
    const script = await encryptedPdf({ strength, catalog: '/OpenAction <</S/JavaScript/JS(app.alert(1))>>' })
    t.match(await pdf(script), { status: 'suspicious', reasons: [{ code: 'script' }] }, strength)
  }
  const archived = { bytes: zip([{ name: 'a.pdf', data: await encryptedPdf() }]) }
  t.match(await examineBytes(folder, archived), { status: 'clean', reasons: [] })
})

test('the engine reads what such a PDF shows', { skip }, async (t) => {
  const bytes = await encryptedPdf({ content: eicar.toString() })
  t.notOk(bytes.includes(eicar))
  t.match(await pdf(bytes), { status: 'infected' })
})

test('a PDF that asks its reader for a password is unscannable', { skip }, async (t) => {
  const closed = { status: 'unscannable', reasons: [{ code: 'encrypted' }] }
  t.match(await pdf(await encryptedPdf({ user: 'secret' })), closed)
  t.match(await pdf(await encryptedPdf({ strength: '128 --use-aes=y', user: 'secret' })), closed)
})

test('an encrypted PDF is unscannable where some of it cannot be shown to be opened', { skip }, async (t) => {
  const closed = { status: 'unscannable', reasons: [{ code: 'encrypted' }] }
  const bytes = await encryptedPdf()
  const text = bytes.toString('latin1')
  t.match(await pdf(bytes.subarray(0, bytes.length - 60)), closed, 'cut off')
  const start = /startxref\s+\d+\s+%%EOF\s*$/.exec(text)?.[0] ?? ''
  t.ok(start)
  const more = `9 0 obj <</Type/ObjStm/N 1/First 4/Length 5>> stream\nxxxxx\nendstream endobj\n${start}`
  t.match(await pdf(Buffer.concat([bytes, Buffer.from(more)])), closed, 'objects of no table')
  t.match(await pdf(bytes, { searchPath: t.testdir() }), closed, 'without qpdf')
})

test('where the engine itself cannot open a PDF, that stands', { skip }, async (t) => {
  const doubting = engineOf(async (bytes, size, signal) => {
    const { status } = await standIn.scan(bytes, size, signal)
    return status === 'clean' ? { status: 'unscannable', signature: 'Heuristics.Encrypted.PDF' } : { status }
  })
  const bytes = await encryptedPdf()
  const upload = { bytes, name: 'a.pdf', type: 'application/pdf' }
  t.match(await examineBytes(folder, upload, doubting), { status: 'unscannable' })
})
