import { type Test, test } from 'tap'
import { eicar } from './archives.ts'
import { examineBytes } from './stand-in.ts'
import { strict } from './strict.ts'
import { type Contents, missingTools, packed } from './tools.ts'

const missing = await missingTools('arj', 'compress', 'mksquashfs', 'mke2fs', 'mcopy')
const skip = missing.length > 0 ? `no ${missing.join(', ')} here` : false

const text = Buffer.from(Array.from({ length: 2000 }, (_, line) => `line ${line} of a text\n`).join(''))
const bad: Contents = { 'a.txt': text, 'eicar.com': eicar, 'z.txt': 'behind it' }
const good: Contents = { 'a.txt': text, 'c.txt': 'clean\n', 'z.txt': 'behind it' }

const formats = '7zip ar arbsd bin cpio gnutar iso9660 newc odc pax pwb ustar v7 zip'.split(' ')
const filters = 'bzip2 compress gzip lz4 lzip lzma lzop xz zstd'.split(' ')

const told = async (t: Test, bytes: Buffer) => (await examineBytes(t.testdir(), { bytes }, strict)).status
const by = (contents: Contents, ...args: string[]) =>
  packed(contents, 'out', 'bsdtar', '-cf', 'out', ...args, ...Object.keys(contents))

test('EICAR is found in every format that libarchive writes', { skip }, async (t) => {
  for (const format of formats) {
    t.equal(await told(t, await by(bad, `--format=${format}`)), 'infected', format)
    // An image's files are marked by nobody as downloaded.
    const clean = format === 'iso9660' ? 'suspicious' : 'clean'
    t.equal(await told(t, await by(good, `--format=${format}`)), clean, `${format}, without it`)
  }
})

test('what is not opened, or not read to its end, is never clean', { skip }, async (t) => {
  for (const format of ['warc', 'xar'])
    for (const contents of [bad, good])
      t.match(await told(t, await by(contents, `--format=${format}`)), /infected|unscannable/, format)
})

test('EICAR is found in every way that libarchive packs an archive', { skip }, async (t) => {
  for (const filter of ['b64encode', 'uuencode'])
    t.equal(await told(t, await by(bad, '--format=ustar', `--${filter}`)), 'unscannable', filter)
  for (const filter of filters) {
    t.equal(await told(t, await by(bad, '--format=ustar', `--${filter}`)), 'infected', filter)
    t.equal(await told(t, await by(good, '--format=ustar', `--${filter}`)), 'clean', `${filter}, without it`)
    t.equal(await told(t, await by(bad, '--format=zip', `--${filter}`)), 'infected', `${filter} around ZIP`)
  }
})

/** A file by uuencode (POSIX), written out by hand: by Python, as no other program for it is always there. */
const uu = (bytes: Buffer) =>
  packed(
    { in: bytes },
    'out',
    'python3',
    '-c',
    'import binascii as b;d=open("in","rb").read();' +
      'open("out","wb").write(b"begin 644 a.bin\\n"+b"".join(b.b2a_uu(d[i:i+45]) for i in range(0,len(d),45))+b"`\\nend\\n")',
  )

test('what uuencode made is seen anywhere in a text, and a text that speaks of it is a text', { skip }, async (t) => {
  const [encoded, archive] = [await uu(eicar), await uu(await by(bad, '--format=ustar', '--gzip'))]
  const base64 = Buffer.from(`begin-base64 644 eicar.com\n${eicar.toString('base64')}\n====\n`)
  const join = (...parts: (Buffer | string)[]) => Buffer.concat(parts.map((part) => Buffer.from(part)))
  const long = 'a line of a letter\n'.repeat(40_000)
  for (const [name, bytes] of Object.entries({
    alone: encoded,
    'with the line ends of Windows': Buffer.from(encoded.toString('latin1').replaceAll('\n', '\r\n')),
    'far behind a letter': join(long, encoded, long),
    'behind a line without end': join('x'.repeat(300_000), '\n', archive),
    'in a page': join('<html><body><pre>\n', encoded, '</pre>'),
    'the second of two': join(await uu(text), 'and\n', archive),
    'without an end': encoded.subarray(0, encoded.indexOf('`\nend')),
    'without a line end': encoded.subarray(0, encoded.indexOf('\n`\nend')),
    'under a long path': Buffer.from(encoded.toString('latin1').replace('a.bin', `${'./'.repeat(1500)}a.bin`)),
    'by base64': join('hello\n', base64),
    'a text in it': await uu(text),
  }))
    t.equal(await told(t, bytes), 'unscannable', name)
  for (const [name, bytes] of Object.entries({
    'a text that speaks of it': join('begin 644 eicar.com\n', 'and so on, until the end\n', long),
    'no file': 'begin 644 \nbegin 644 a\nbegin-base64 644 a\n====\nbegin 644 a\n`\nend\n',
    pascal: 'program a;\nbegin\n  begin 644 end;\nend.\n',
  }))
    t.equal(await told(t, Buffer.from(bytes)), 'clean', name)
})

test('a text at the greatest depth is as clean as any, unless it holds a file', { skip }, async (t) => {
  const at = async (bytes: Buffer) => {
    const { status, reasons } = await examineBytes(t.testdir(), { bytes, limits: { depth: 1 } }, strict)
    return { status, codes: reasons.map(({ code }) => code) }
  }
  t.same(await at(await by(good, '--format=zip')), { status: 'clean', codes: [] })
  const encoded = await uu(text)
  t.same(await at(await by({ 'a.txt': encoded }, '--format=zip')), {
    status: 'unscannable',
    codes: ['unsupported_archive'],
  })
})
