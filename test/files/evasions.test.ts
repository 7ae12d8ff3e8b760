import { type Test, test } from 'tap'
import { eicar, zip } from './archives.ts'
import { byName, inContainers, inHeaders, inOffice, inTexts } from './disguises.ts'
import { elsewhere, inArchives, measured } from './evasions.ts'
import { inPages, inPdf } from './pages.ts'
import { slow } from './slow.ts'
import { engineOf, examineBytes, type Upload } from './stand-in.ts'
import { strict } from './strict.ts'

/** What a shape has to end as, where `suspicious` would not be the truth. */
const told: Record<string, { status: string; code: string }> = {
  'the flag of encryption in both': { status: 'unscannable', code: 'encrypted' },
  'a method that is not unpacked here': { status: 'unscannable', code: 'unsupported_method' },
  'a part of a split archive': { status: 'unscannable', code: 'split_archive' },
  'an archive twelve deep': { status: 'unscannable', code: 'too_deep' },
  'entries beyond their limit': { status: 'unscannable', code: 'too_many_entries' },
  'a bomb': { status: 'unscannable', code: 'compression_ratio' },
  'a gzip bomb': { status: 'unscannable', code: 'compression_ratio' },
  'more than may be unpacked': { status: 'unscannable', code: 'too_large' },
  'an encrypted PDF': { status: 'unscannable', code: 'encrypted' },
  'an encrypted document': { status: 'unscannable', code: 'encrypted' },
  'an entry with a ZIP64 local header': { status: 'infected', code: 'malware' },
  'a RAR archive': { status: 'unscannable', code: 'malformed_archive' },
  'an LZMA file': { status: 'unscannable', code: 'malformed_archive' },
  'a Windows image': { status: 'unscannable', code: 'malformed_archive' },
  'a file with holes in a tar archive': { status: 'unscannable', code: 'sparse_file' },
  'a size by the header of Solaris': { status: 'infected', code: 'malware' },
  'a hidden archive in a gzip file': { status: 'infected', code: 'malware' },
  'a hidden archive in a tar archive': { status: 'infected', code: 'malware' },
  'a hidden archive in a packed tar archive': { status: 'infected', code: 'malware' },
}

async function noneIsClean(t: Test, shapes: Record<string, Upload>) {
  const folder = t.testdir()
  for (const [name, upload] of Object.entries(shapes)) {
    const { status, reasons } = await examineBytes(folder, upload)
    t.not(status, 'clean', name)
    const { status: wanted, code } = told[name] ?? { status, code: reasons[0]?.code }
    t.equal(status, wanted, `${name}: ${reasons[0]?.detail}`)
    t.ok(code !== undefined && reasons.some((reason) => reason.code === code), `${name} has its reason`)
  }
}

test('no archive in the shapes that scanners were measured to pass is clean', (t) => noneIsClean(t, measured))

test('no archive that tools read in two ways, or that hides what is in it, is clean', (t) => noneIsClean(t, inArchives))

test('nor is one for an engine that finds nothing within archives', async (t) => {
  for (const [name, upload] of Object.entries({ ...measured, ...inArchives }))
    t.not((await examineBytes(t.testdir(), upload, strict)).status, 'clean', name)
})

test('no document, page, picture or program that runs or hides something is clean', (t) => noneIsClean(t, elsewhere))

test('no archive of another format, and no field of a header, hides anything in what is clean', (t) =>
  noneIsClean(t, { ...inContainers, ...inHeaders }))

test('no document of an office is clean that hides what it fetches or runs', (t) =>
  noneIsClean(t, { ...inOffice, ...inTexts }))

test('no name by which a system runs what it opens is clean', (t) => noneIsClean(t, byName))

test('no page, drawing or PDF is clean whose script is written otherwise', (t) =>
  noneIsClean(t, { ...inPages, ...inPdf }))

test('a file cut anywhere is told about, and fails nothing', async (t) => {
  const folder = t.testdir()
  const whole = [...Object.values(measured), ...Object.values(elsewhere)].map(({ bytes }) => Buffer.from(bytes))
  for (const bytes of whole.filter(({ length }) => length < 5000)) {
    for (const end of [bytes.length * 0.9, bytes.length * 0.5, 70, 29, 13, 3].map(Math.floor))
      await examineBytes(folder, { bytes: bytes.subarray(0, end) })
  }
  t.pass('each examination came to an end')
})

test('texts made to slow a search down are through like any other', async (t) => {
  const folder = t.testdir()
  for (const [name, upload] of Object.entries(slow(100_000))) t.ok((await examineBytes(folder, upload)).status, name)
})

test('EICAR is what the rule of EICAR says, and found without an engine', async (t) => {
  const folder = t.testdir()
  const blind = engineOf(drained)
  const statusOf = async (bytes: Buffer) => (await examineBytes(folder, { bytes }, blind)).status
  const padded = (length: number) => Buffer.concat([eicar, Buffer.alloc(length - eicar.length, ' ')])
  t.equal(await statusOf(eicar), 'infected')
  t.equal(await statusOf(Buffer.concat([eicar, Buffer.from('\r\n\t \x1a')])), 'infected')
  t.equal(await statusOf(padded(128)), 'infected')
  t.equal(await statusOf(padded(129)), 'clean')
  t.equal(await statusOf(Buffer.concat([Buffer.from('hello '), eicar])), 'clean')
  const deep = zip([
    { name: 'a.zip', data: zip([{ name: 'b.zip', method: 0, data: zip([{ name: 'c', data: eicar }]) }]) },
  ])
  const { status, reasons } = await examineBytes(folder, { bytes: deep }, blind)
  t.equal(status, 'infected')
  t.match(reasons, [{ code: 'eicar', entry: 'a.zip → b.zip → c' }])
})

async function drained(bytes: AsyncIterable<Buffer>) {
  for await (const _ of bytes);
  return { status: 'clean' as const }
}
