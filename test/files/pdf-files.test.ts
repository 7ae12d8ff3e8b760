import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflateSync } from 'node:zlib'
import t, { test } from 'tap'
import { isInstalled } from '../../workers/sandbox/programs.ts'
import { heldUp } from '../support/held-up.ts'
import { pdf as handmade } from '../support/pdf.ts'
import { eicar, zip } from './archives.ts'
import { pdf as parts } from './pictures.ts'
import { examineBytes } from './stand-in.ts'
import { encryptedPdf } from './tools.ts'

const skip = (await isInstalled('qpdf')) && (await isInstalled('pdfattach')) ? false : 'no qpdf or pdfattach here'
const folder = t.testdir()
const run = promisify(execFile)

const invoice = '<?xml version="1.0" encoding="UTF-8"?><rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece"/>\n'
const examined = (bytes: Buffer, name = 'invoice.pdf') => examineBytes(folder, { bytes, name, type: 'application/pdf' })

let made = 0
/** A PDF with a file in it, as a program attaches it. */
async function attached(name: string, content: Buffer | string, by: 'qpdf' | 'packed' | 'poppler'): Promise<Buffer> {
  const [own, out] = [join(folder, `own-${++made}.pdf`), join(folder, `out-${made}.pdf`)]
  const file = join(t.testdir(), name)
  await writeFile(own, handmade(['BT (Invoice 7) Tj ET']))
  await writeFile(file, content)
  if (by === 'poppler') await run('pdfattach', [own, file, out])
  else {
    const how =
      by === 'packed' ? ['--object-streams=generate'] : ['--object-streams=disable', '--stream-data=uncompress']
    await run('qpdf', [...how, own, '--add-attachment', file, `--mimetype=text/xml`, '--', out])
  }
  return await readFile(out)
}

for (const by of ['qpdf', 'packed', 'poppler'] as const) {
  test(`a file in a PDF is looked at as a file of its own (${by})`, { skip }, async (t) => {
    const verdict = async (name: string, content: Buffer | string) => {
      const { status, reasons } = await examined(await attached(name, content, by))
      return [status, ...reasons.map(({ code, entry }) => `${code} ${entry ?? ''}`.trim())]
    }
    t.same(await verdict('factur-x.xml', invoice), ['clean'])
    // An archive that stands unpacked near the end of a PDF makes the PDF an archive as well.
    if (by === 'packed') t.same(await verdict('data.zip', zip([{ name: 'lines.csv', data: '1;2\n' }])), ['clean'])
    t.same((await verdict('a.txt', eicar))[0], 'infected')
    t.same((await verdict('a.zip', zip([{ name: 'a.com', data: eicar }])))[0], 'infected')
    t.same((await verdict('inner.pdf', await attached('a.txt', eicar, by)))[0], 'infected', 'a PDF in a PDF')
    t.same(await verdict('run.vbs', 'x'), ['suspicious', 'executable run.vbs'])
    t.same((await verdict('run.sh', '#!/bin/sh\nid\n')).slice(0, 2), ['suspicious', 'executable run.sh'])
    t.same((await verdict('page.html', '<!doctype html><script>1</script>'))[0], 'suspicious')
    t.same((await verdict('invoice.xml', Buffer.concat([Buffer.from('MZ\x90\0'), Buffer.alloc(200)])))[0], 'suspicious')
  })
}

test('what such a PDF does besides is a reason as before', { skip }, async (t) => {
  const invoiced = (await attached('factur-x.xml', invoice, 'qpdf')).toString('latin1')
  for (const [action, code] of [
    ['/S/JavaScript/JS(app.alert(1))', 'script'],
    ['/S/Launch/F(cmd.exe)', 'launch_action'],
  ] as const) {
    const bytes = Buffer.from(invoiced.replace('%%EOF', `99 0 obj <<${action}>> endobj\n%%EOF`), 'latin1')
    t.match(await examined(bytes), { status: 'suspicious', reasons: [{ code }] }, code)
  }
})

const specification = '1 0 obj <</Type/Filespec/F(a.xml)/EF <</F 2 0 R>>>> endobj\n'
const stream = (dictionary: string, data: Buffer | string = invoice) =>
  parts(`${specification}2 0 obj <<${dictionary}>> stream\n`, Buffer.from(data))
const packed = deflateSync(invoice)

/** Files that are taken out, and what hides one from who looks for it. */
const cases: Record<string, [bytes: Buffer, status: string]> = {
  'a packed file': [stream('/Filter/FlateDecode/Length 9', packed), 'clean'],
  'a plain file': [stream(`/Length ${invoice.length}`), 'clean'],
  'a plain file whose length stands elsewhere': [
    Buffer.concat([stream('/Length 3 0 R'), Buffer.from(`\n3 0 obj ${invoice.length} endobj\n`)]),
    'clean',
  ],
  'names written otherwise': [
    parts(
      `1 0 obj <</F(a.xml)/#45F <</#46 2 0 R>>>> endobj\n2 0 obj <</Filter[/Flate#44ecode]/Type/Embedded#46ile>> stream\n`,
      packed,
    ),
    'clean',
  ],
  'malware in a file of no name': [
    parts('2 0 obj <</Type/EmbeddedFile/Filter/FlateDecode>> stream\n', deflateSync(eicar)),
    'infected',
  ],
  'malware in an earlier revision': [
    Buffer.concat([stream('/Filter/FlateDecode', deflateSync(eicar)), stream('/Filter/FlateDecode', packed)]),
    'infected',
  ],
  'malware in a later revision': [
    Buffer.concat([stream('/Filter/FlateDecode', packed), stream('/Filter/FlateDecode', deflateSync(eicar))]),
    'infected',
  ],
  'no such stream': [parts(specification), 'suspicious'],
  'a length that is not its own': [stream('/Length 3'), 'suspicious'],
  'two lengths': [stream(`/Length ${invoice.length}/Length 3`), 'suspicious'],
  'another filter': [stream('/Filter/ASCIIHexDecode/Length 9'), 'suspicious'],
  'two filters': [stream('/Filter[/ASCIIHexDecode/FlateDecode]/Length 9'), 'suspicious'],
  'a predictor': [stream('/Filter/FlateDecode/DecodeParms <</Predictor 12>>', packed), 'suspicious'],
  'data that stand in another file': [stream(`/F(b.xml)/Length ${invoice.length}`), 'suspicious'],
  'data that are damaged': [stream('/Filter/FlateDecode', 'xxxxxxxxx'), 'suspicious'],
  'files that stand elsewhere': [
    parts('1 0 obj <</F(a.xml)/EF 3 0 R>> endobj\n3 0 obj <</F 2 0 R>> endobj'),
    'suspicious',
  ],
  'two lists of files': [
    Buffer.concat([
      parts('1 0 obj <</F(a.xml)/EF <</F 2 0 R>>/EF <</F 4 0 R>>>> endobj\n'),
      stream('/Filter/FlateDecode', packed),
    ]),
    'suspicious',
  ],
  'a mention in no object': [Buffer.from('%PDF-1.5\n<</EF <</F 2 0 R>>>>'), 'suspicious'],
}

test('a file is taken out of a PDF as every reader takes it, or the PDF is held', async (t) => {
  for (const [name, [bytes, status]] of Object.entries(cases)) t.equal((await examined(bytes)).status, status, name)
})

const mention = '<</F(a.xml)/EF <</F 2 0 R>>>>'
const within = (depth: number): string =>
  `${'2 0 obj <</EF <</F 2 0 R>>/A ('.repeat(depth)}${')>>stream\n'.repeat(depth)}`

/** Documents that would take minutes or much memory if each mention, object or comment were read by itself. */
const costly: Record<string, string> = {
  'a long comment that no value follows': `1 0 obj <</EF <</F 2 0 R>> ${'%'.repeat(60)}\n}`,
  'one key many times': `1 0 obj <</EF <</F 2 0 R>>${'/a 1'.repeat(60_000)}>>`,
  'many mentions in one object': `1 0 obj [${mention.repeat(900)}${' 0'.repeat(100_000)}]`,
  'mentions behind words that begin no object': `${'obj '.repeat(300_000)}${mention.repeat(900)}`,
  'objects in strings of objects': within(900),
  'words that mention no file': `1 0 obj ${mention}${'/EF %'.repeat(1_000_000)}`,
  'a very long value': `1 0 obj [${mention}${' 0'.repeat(2_000_000)}]`,
}

test('a document that is costly to read is held soon, and does not hold up others meanwhile', async (t) => {
  t.setTimeout(240_000)
  for (const [name, body] of Object.entries(costly)) {
    const bytes = Buffer.from(`%PDF-1.5\n${body}\nendobj\n%%EOF`, 'latin1')
    const { ms, result } = await heldUp(() => examined(bytes))
    t.equal(result.status, 'suspicious', name)
    // Some 100 ms on an idle machine. Read by itself each time, it was a minute or had no end.
    t.ok(ms < 10_000, `${name}: ${ms} ms`)
  }
})

test('a file in an encrypted PDF is a reason to hold it', { skip }, async (t) => {
  const bytes = await encryptedPdf({ catalog: '/Names <</EmbeddedFiles <</Names []>>>>' })
  t.match(await examined(bytes), { status: 'suspicious', reasons: [{ code: 'embedded_file' }] })
})
