import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Test, test } from 'tap'
import { eicar, gz, tar, u16, zip } from './archives.ts'
import { newRarFile, newRarOf, rarFile, rarOf } from './blocks.ts'
import { measured } from './evasions.ts'
import { engineOf, examineBytes, standIn, type Upload } from './stand-in.ts'
import { bsdtar, bzip2, cab, missingTools, packed, rpm, sevenZip, xz } from './tools.ts'

const rar = (name: string, bytes: Buffer, flags = 0) => rarOf([rarFile(name, bytes, { flags })])
const newRar = (name: string, bytes: Buffer, records: number[] = []) =>
  newRarOf([newRarFile(name, bytes, { records: Buffer.from(records) })])

const missing = await missingTools()
const skip = missing.length > 0 ? `no ${missing.join(', ')} here` : false

const text = Buffer.from(Array.from({ length: 2000 }, (_, line) => `line ${line} of a text\n`).join(''))
const bad = { 'a.txt': text, 'eicar.com': eicar }
const good = { 'a.txt': text, 'b/c.txt': 'clean\n' }
/** An archive that scanners were measured to pass. */
const hidden = Buffer.from(measured['an entry with a ZIP64 local header']?.bytes ?? '')

/** As old versions of bzip2 mixed up what repeats too much, from its 618th byte on. */
function randomised(bytes: Buffer): Buffer {
  const shape = Buffer.from(bytes)
  shape.writeUInt8(shape.readUInt8(14) | 0x80, 14)
  return shape
}

const statusOf = async (t: Test, upload: Upload) => await examineBytes(t.testdir(), upload)

const delta = ['-m0=Delta:4', '-m1=LZMA']
const bcj2 = '-m0=BCJ2 -m1=LZMA -m2=LZMA -m3=LZMA -mb0:1 -mb0s1:2 -mb0s2:3'.split(' ')
const methods = ['Copy', 'LZMA', 'LZMA2', 'BZip2', 'Deflate', 'PPMd'].map((method) => [`-m0=${method}`])

test('what 7-Zip packs by any method that libarchive knows is walked', { skip }, async (t) => {
  for (const method of [...methods, delta, bcj2, ['-ms=off']]) {
    const found = await statusOf(t, { bytes: await sevenZip(bad, ...method) })
    t.match(found, { status: 'infected', reasons: [{ entry: 'eicar.com' }] }, method.join(' '))
    const { status, reasons } = await statusOf(t, { bytes: await sevenZip(good, ...method), name: 'a.7z' })
    t.same({ status, reasons }, { status: 'clean', reasons: [] }, method.join(' '))
  }
})

test('what is packed in ZIP by bzip2, LZMA, XZ or PPMd is walked, and proven by its CRC', { skip }, async (t) => {
  const byXz = async (data: Buffer, said = crc32(data)) => {
    const facts = { method: 95, size: data.length, crc: said }
    return zip([{ name: 'x.bin', method: 0, data: await xz(data), local: facts, central: facts }])
  }
  for (const method of ['BZip2', 'LZMA', 'PPMd']) {
    const found = await statusOf(t, { bytes: await sevenZip({ 'a.zip': hidden, ...good }, '-tzip', `-mm=${method}`) })
    t.match(found, { status: 'infected', reasons: [{ entry: 'a.zip → eicar.com' }] }, method)
    const { status, reasons } = await statusOf(t, {
      bytes: await sevenZip(good, '-tzip', `-mm=${method}`),
      name: 'a.zip',
    })
    t.same({ status, reasons }, { status: 'clean', reasons: [] }, method)
  }
  t.match(await statusOf(t, { bytes: await byXz(hidden) }), { status: 'infected' })
  t.match(await statusOf(t, { bytes: await byXz(text), name: 'a.zip' }), { status: 'clean' })
  t.match(await statusOf(t, { bytes: await byXz(text, 1) }), { status: 'unscannable' }, 'another CRC')
  const inner = await sevenZip({ 'a.zip': hidden }, '-tzip', '-mm=LZMA')
  t.match(await statusOf(t, { bytes: await sevenZip({ 'b.zip': inner }, '-tzip', '-mm=BZip2') }), {
    status: 'infected',
  })
})

test('what libarchive does not unpack is never clean', { skip }, async (t) => {
  const encrypted = { status: 'unscannable', reasons: [{ code: 'encrypted' }] }
  t.match(await statusOf(t, { bytes: await sevenZip(bad, '-psecret') }), encrypted)
  t.match(await statusOf(t, { bytes: await sevenZip(bad, '-psecret', '-mhe') }), encrypted)
  t.match(await statusOf(t, { bytes: rar('a.txt', text, 4) }), encrypted)
  t.match(await statusOf(t, { bytes: newRar('a.txt', text, [2, 1, 0]) }), encrypted)
  const split = { status: 'unscannable', reasons: [{ code: 'split_archive' }] }
  t.match(await statusOf(t, { bytes: rar('a.txt', text, 2) }), split)
})

test('an archive that other scanners pass is found in 7z, xz, bzip2 and whatever else is unpacked', {
  skip,
}, async (t) => {
  const shapes: Record<string, Buffer> = {
    '7z': await sevenZip({ 'a.zip': hidden }, '-m0=BZip2'),
    '7z in 7z': await sevenZip({ 'a.7z': await sevenZip({ 'a.zip': hidden }), 'b.txt': text }),
    '7z stored, and no other ZIP at its end': await sevenZip(
      { 'a.zip': hidden, 'z.zip': zip([]) },
      '-m0=Copy',
      '-mhc=off',
    ),
    '7z in ZIP': zip([{ name: 'a.7z', data: await sevenZip({ 'a.zip': hidden }, ...delta) }]),
    xz: await xz(hidden),
    'the second stream of xz': Buffer.concat([await xz(''), await xz(hidden)]),
    'xz in xz': await xz(await xz(hidden)),
    lzma: await xz(hidden, 'lzma'),
    'tar.xz': await xz(tar({ 'a.txt': 'clean', 'a.zip': hidden })),
    bzip2: await bzip2(hidden),
    'the second stream of bzip2, behind an empty one': Buffer.concat([await bzip2(''), await bzip2(hidden)]),
    'a randomised block of bzip2': randomised(await bzip2(hidden)),
    'bzip2 in bzip2': await bzip2(await bzip2(hidden)),
    'tar.bz2': await bzip2(tar({ 'a.txt': 'clean', 'a.zip': hidden })),
    'ISO image': await bsdtar({ 'a.zip': hidden }, 'iso9660'),
    'new cpio': await bsdtar({ 'a.zip': hidden }, 'newc'),
    'old cpio': await bsdtar({ 'a.zip': hidden }, 'odc'),
    'second cpio': Buffer.concat([await bsdtar(good, 'newc'), await bsdtar({ 'a.zip': hidden }, 'newc')]),
    rpm: rpm(await xz(await bsdtar({ 'a.zip': hidden }, 'newc'))),
    'rpm by bzip2': rpm(await bzip2(await bsdtar({ 'a.zip': hidden }, 'newc'))),
    cab: cab('a.zip', hidden),
    rar: rar('a.zip', hidden),
    'new rar': newRar('a.zip', hidden),
  }
  for (const [name, bytes] of Object.entries(shapes))
    t.match(await statusOf(t, { bytes }), { status: 'infected', reasons: [{ code: 'malware' }] }, name)
})

test('an archive that libarchive would take for another is not clean', { skip }, async (t) => {
  // A RAR archive within the comment of a ZIP archive's end, and one with the header of a tar archive among its bytes.
  const whole = rar('a.gz', gz(hidden))
  const end = Buffer.from(`PK\x05\x06${'\0'.repeat(16)}`, 'latin1')
  const inComment = Buffer.concat([whole, end, u16(whole.length), whole])
  t.match(await statusOf(t, { bytes: inComment }), { status: 'unscannable' })
  const tarHead = (bytes: Buffer) => {
    const head = Buffer.from(bytes)
    head.write(' '.repeat(8), 148)
    const sum = head.subarray(0, 512).reduce((total, byte) => total + byte, 0)
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return head
  }
  const stored = await sevenZip({ 'a.bin': Buffer.concat([Buffer.alloc(600), gz(hidden)]) }, '-m0=Copy')
  for (const bytes of [stored, rar('a.bin', Buffer.concat([Buffer.alloc(600), gz(hidden)]))])
    t.match(await statusOf(t, { bytes: tarHead(bytes) }), {
      status: 'suspicious',
      reasons: [{ code: 'malformed_archive' }],
    })
})

test('plain files in each of the formats are clean', { skip }, async (t) => {
  const shapes: Record<string, Buffer> = {
    xz: await xz(text),
    'tar.xz': await xz(tar({ 'a.txt': text })),
    lzma: await xz(text, 'lzma'),
    bzip2: await bzip2(text),
    'two streams of bzip2': Buffer.concat([await bzip2(text), await bzip2(text)]),
    'bzip2 of nothing': await bzip2(''),
    'tar.bz2': await bzip2(tar({ 'a.txt': text })),
    rpm: rpm(gz(await bsdtar(good, 'newc'))),
    'new cpio': await bsdtar(good, 'newc'),
    'old cpio': await bsdtar(good, 'odc'),
    cab: cab('a.txt', text.subarray(0, 30_000)),
    rar: rar('a.txt', text),
    'new rar': newRar('a.txt', text),
    'names of all sorts': await sevenZip({ 'ä ö/日本.txt': text, ' -rf': 'x', [`${'n'.repeat(200)}.txt`]: 'x' }),
    'nothing at all': await sevenZip({ empty: '' }),
  }
  for (const [name, bytes] of Object.entries(shapes)) {
    const { status, reasons } = await statusOf(t, { bytes })
    t.same({ status, reasons }, { status: 'clean', reasons: [] }, name)
  }
})

test('what is cut off, damaged, or followed by something is not clean', { skip }, async (t) => {
  const whole: Record<string, Buffer> = {
    '7z': await sevenZip(good, '-m0=Copy'),
    'packed 7z': await sevenZip(good),
    xz: await xz(text),
    lzma: await xz(text, 'lzma'),
    bzip2: await bzip2(text),
    cpio: await bsdtar(good, 'newc'),
    cab: cab('a.txt', text.subarray(0, 30_000)),
    rar: rar('a.txt', text),
    'new rar': newRar('a.txt', text),
  }
  for (const [name, bytes] of Object.entries(whole)) {
    const flipped = Buffer.from(bytes)
    flipped[100] = (flipped[100] ?? 0) ^ 0xff
    const cpioEnds = name === 'cpio' ? -700 : -9
    for (const shape of [
      bytes.subarray(0, cpioEnds),
      bytes.subarray(0, 200),
      Buffer.concat([bytes, Buffer.from('more')]),
    ])
      t.not((await statusOf(t, { bytes: shape })).status, 'clean', `${name}, ${shape.length} of ${bytes.length} bytes`)
    // These have no sums of their contents, or none that libarchive looks at where they are stored.
    if (['cpio', 'cab', 'rar', 'new rar'].includes(name)) continue
    t.match(await statusOf(t, { bytes: flipped }), { status: 'unscannable', reasons: [{}] }, `${name} damaged`)
  }
})

test('what bzip2 leaves alone behind a stream, or unpacks no further, is not clean', { skip }, async (t) => {
  const [first, next] = [await bzip2(text), await bzip2(hidden)]
  const wrong = (bytes: Buffer, at: number) => {
    const shape = Buffer.from(bytes)
    shape.writeUInt8(shape.readUInt8(shape.length + at) ^ 0x20, shape.length + at)
    return shape
  }
  const shapes: Record<string, Buffer> = {
    'a stream behind a zero': Buffer.concat([first, Buffer.alloc(1), next]),
    'zeros behind the last one': Buffer.concat([first, Buffer.alloc(512)]),
    'one byte behind the last one': Buffer.concat([first, Buffer.from('B')]),
    'a head and no more': Buffer.concat([first, Buffer.from('BZh9')]),
    'a stream of no size': Buffer.concat([first, Buffer.from('BZh0'), next.subarray(4)]),
    'a second stream cut off': Buffer.concat([first, next.subarray(0, -1)]),
    'a second stream with a wrong sum': Buffer.concat([first, wrong(next, -3)]),
    'a first stream with a wrong sum': Buffer.concat([wrong(first, -3), next]),
    'an empty stream with a sum': wrong(await bzip2(''), -1),
  }
  for (const [name, bytes] of Object.entries(shapes)) {
    const { status, reasons } = await statusOf(t, { bytes })
    t.match({ status, reasons }, { status: 'unscannable', reasons: [{ code: 'malformed_archive' }] }, name)
  }
})

test('a bomb is refused before it is unpacked, and so is what is too much', { skip }, async (t) => {
  const zeros = Buffer.alloc(48 * 2 ** 20)
  const bombs = { '7z': await sevenZip({ zeros }, '-mx=1'), xz: await xz(zeros), bzip2: await bzip2(zeros) }
  for (const [name, bytes] of Object.entries(bombs)) {
    const refused = await statusOf(t, { bytes })
    t.match(refused, { status: 'unscannable', reasons: [{ code: 'compression_ratio' }] }, name)
  }
  const limited = async (limits: Upload['limits'] & {}) => await statusOf(t, { bytes: await sevenZip(good), limits })
  const told = (code: string) => ({ status: 'unscannable', reasons: [{ code }] })
  t.match(await limited({ entries: 1 }), told('too_many_entries'))
  t.match(await limited({ scratch: 20_000 }), told('too_large'))
  t.match(await limited({ totalSize: 20_000 }), told('too_large'))
  t.match(await limited({ depth: 0 }), told('too_deep'))
})

test('a target of a link is looked at like a file, which some tools make of it', { skip }, async (t) => {
  const linked = (command: string) =>
    packed(
      { 'a.txt': 'clean', target: eicar },
      'out',
      'sh',
      '-c',
      `ln -s "$(cat target)" link && ${command} link a.txt`,
    )
  const shapes = {
    '7z': await linked('7zz a -bd -t7z -snl -m0=BZip2 out.7z link a.txt && mv out.7z out && :'),
    cpio: await linked('bsdtar -cf out --format=newc'),
  }
  for (const [name, bytes] of Object.entries(shapes))
    t.match(
      await statusOf(t, { bytes }),
      { status: 'infected', ...(name === '7z' && { reasons: [{ entry: 'link' }] }) },
      name,
    )
})

test('an entry with data that says it is a folder or a device, which some tools believe, is not clean', {
  skip,
}, async (t) => {
  const bytes = await sevenZip({ 'a.txt': 'clean' }, '-m0=Copy', '-mhc=off')
  const at = bytes.indexOf(Buffer.from('\x20\x80\xa4\x81', 'latin1'))
  t.ok(at > 0, 'the attributes of the file')
  for (const mode of [0o040755, 0o020644, 0o010644, 0o140644]) {
    const shape = Buffer.from(bytes)
    shape.writeUInt16LE(mode, at + 2)
    const start = 32 + Number(shape.readBigUInt64LE(12))
    shape.writeUInt32LE(crc32(shape.subarray(start, start + Number(shape.readBigUInt64LE(20)))), 28)
    shape.writeUInt32LE(crc32(shape.subarray(12, 32)), 8)
    t.match(await statusOf(t, { bytes: shape }), { status: 'unscannable' }, mode.toString(8))
  }
})

test('without the program that would unpack it an archive is unscannable, and the reason names the program', {
  skip,
}, async (t) => {
  const searchPath = t.testdir()
  const shapes = {
    bsdtar: rar('a.txt', text),
    xz: await xz(text),
    bzip2: await bzip2(text),
    '7zz': await sevenZip(good, '-twim'),
  }
  for (const [program, bytes] of Object.entries(shapes)) {
    const { status, reasons } = await statusOf(t, { bytes, searchPath })
    t.match({ status, reasons }, { status: 'unscannable', reasons: [{ code: 'unsupported_archive' }] })
    t.match(reasons[0]?.detail, `no ${program} (package`)
  }
})

test('a program that fails for reasons of the machine decides nothing, and one that complains is believed', {
  skip,
}, async (t) => {
  const bytes = rar('a.txt', text)
  const by = (script: string) => {
    const folder = t.testdir({ bsdtar: `#!/bin/sh\n${script}\n` })
    execFileSync('chmod', ['+x', `${folder}/bsdtar`])
    return examineBytes(folder, { bytes, searchPath: `${folder}:/usr/sbin:/usr/bin:/sbin:/bin` })
  }
  await t.rejects(by('kill -9 $$'), /bsdtar was killed/)
  await t.rejects(by('exit 127'), /could not be started/)
  t.match(await by('echo "a warning" >&2'), { status: 'unscannable', reasons: [{ code: 'malformed_archive' }] })
  t.match(await by('exit 3'), { status: 'unscannable', reasons: [{ code: 'malformed_archive' }] })
  t.match(await by('kill -SEGV $$'), { status: 'unscannable', reasons: [{ code: 'malformed_archive' }] })
  t.match(await by(':'), { status: 'unscannable' }, 'nothing is not an archive of something')
})

test('an examination that is called off ends the program, and leaves nothing behind', { skip }, async (t) => {
  const folder = t.testdir()
  const called = new AbortController()
  const inner = await xz(Buffer.alloc(2 ** 27))
  const engine = engineOf(async (bytes, size, signal) => {
    if (size === inner.length) setTimeout(() => called.abort(new Error('called off')), 100)
    return await standIn.scan(bytes, size, signal)
  })
  const bytes = zip([{ name: 'a.xz', data: inner, method: 0 }])
  const upload = { bytes, signal: called.signal, limits: { ratio: 1e6 } }
  await t.rejects(examineBytes(folder, upload, engine), /called off/)
  t.same(await readdir(folder), [])
})
