import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { crc32, zstdCompressSync } from 'node:zlib'
import { type Test, test } from 'tap'
import { readList } from '../../workers/scan/archives/seven-zip.ts'
import { eicar, zip } from './archives.ts'
import { examineBytes, type Upload } from './stand-in.ts'
import { strict } from './strict.ts'
import { type Contents, missingTools, packed, sevenZip } from './tools.ts'

const missing = await missingTools('arj', 'compress', 'mksquashfs', 'mke2fs', 'mcopy')
const skip = missing.length > 0 ? `no ${missing.join(', ')} here` : false

const text = Buffer.from(Array.from({ length: 2000 }, (_, line) => `line ${line} of a text\n`).join(''))
/** A program for ARM64 as far as the filter goes: calls, which it makes to lead elsewhere. */
const calls = Buffer.alloc(4000, Buffer.from([1, 2, 3, 0x94]))
const bad: Contents = { 'a.txt': text, 'b/calls.bin': calls, 'b/eicar.com': eicar, 'c.txt': 'behind it' }
const good: Contents = { 'a.txt': text, 'b/calls.bin': calls, 'b/c.txt': 'clean\n', empty: '' }

const told = async (t: Test, upload: Upload) => {
  const { status, reasons } = await examineBytes(t.testdir(), upload, strict)
  return { status, reasons }
}

type Make = (contents: Contents) => Promise<Buffer>

/** What a program makes of all files of a folder, written to a file beside it. */
const by =
  (...command: string[]): Make =>
  (contents) =>
    packed(contents, '../out', 'sh', '-c', `rm -f ../out && ${command.join(' && ')}`)

const formats: Record<string, Make> = {
  '7z by Deflate64': (contents) => sevenZip(contents, '-m0=Deflate64'),
  ...Object.fromEntries(await newMethods()),
  '7z by Deflate64, each file alone': (contents) => sevenZip(contents, '-m0=Deflate64', '-ms=off'),
  'ZIP by Deflate64': (contents) => sevenZip(contents, '-tzip', '-mm=Deflate64'),
  ARJ: by('arj a -r out.arj *', 'mv out.arj ../out'),
  WIM: by('7zz a -bd -twim ../out.wim .', 'mv ../out.wim ../out'),
  SquashFS: by('mksquashfs . ../out -noappend -quiet -no-progress'),
}

/** The filters that 7-Zip has had since versions 23 and 24, where it has them. */
async function newMethods(): Promise<[string, Make][]> {
  const known = skip ? '' : (await promisify(execFile)('7zz', ['i'])).stdout
  const methods = ['ARM64', 'RISCV'].filter((method) => known.includes(method))
  return methods.map((method) => [`7z by ${method}`, (contents) => sevenZip(contents, `-m0=${method}`, '-m1=LZMA2')])
}

/** Images of disks are never clean, for no scanner of the receiver's sees their files. */
const disks: Record<string, Make> = {
  ext4: by('/sbin/mke2fs -q -t ext4 -d . ../out 4M'),
  FAT: by('truncate -s 40M ../out', 'mformat -F -i ../out ::', 'mcopy -s -i ../out * ::'),
}

test('what 7-Zip unpacks and libarchive does not is walked', { skip }, async (t) => {
  for (const [name, make] of Object.entries(formats)) {
    const infected = { status: 'infected', reasons: [{ entry: 'b/eicar.com' }] }
    t.match(await told(t, { bytes: await make(bad) }), infected, name)
    t.same(await told(t, { bytes: await make(good) }), { status: 'clean', reasons: [] }, name)
  }
})

test('no image of a disk is clean', { skip }, async (t) => {
  for (const [name, make] of Object.entries(disks))
    for (const contents of [bad, good])
      t.match(
        await told(t, { bytes: await make(contents) }),
        { status: 'suspicious', reasons: [{ code: 'disk_image' }] },
        name,
      )
})

test('a file of LZ4, LZO or compress is what it unpacks to', { skip }, async (t) => {
  const shapes: Record<string, (bytes: Buffer | string) => Promise<Buffer>> = {
    lz4: (bytes) => packed({ in: bytes }, 'in.lz4', 'lz4', '-q', 'in', 'in.lz4'),
    'lz4, the old format': (bytes) => packed({ in: bytes }, 'in.lz4', 'lz4', '-q', '-l', 'in', 'in.lz4'),
    lzop: (bytes) => packed({ in: bytes }, 'in.lzo', 'lzop', 'in'),
    compress: (bytes) => packed({ in: bytes }, 'in.Z', 'compress', '-f', 'in'),
  }
  for (const [name, make] of Object.entries(shapes)) {
    t.match(await told(t, { bytes: await make(eicar) }), { status: 'infected', reasons: [{}] }, name)
    t.match(
      await told(t, { bytes: await make((await formats.ARJ?.(bad)) ?? '') }),
      { status: 'infected' },
      `ARJ in ${name}`,
    )
    const whole = await make(text)
    t.same(await told(t, { bytes: whole }), { status: 'clean', reasons: [] }, name)
    // LZW ends with the last byte that there is, whatever it was before.
    if (name === 'compress') continue
    const more = Buffer.concat([whole, Buffer.from('more of it')])
    t.match(await told(t, { bytes: more }), { status: 'unscannable' }, `${name}, with more`)
    t.match(await told(t, { bytes: whole.subarray(0, -9) }), { status: 'unscannable' }, `${name}, cut off`)
  }
})

test('an entry of ZIP by Zstandard is walked, and proven by its CRC', { skip }, async (t) => {
  const entry = (data: Buffer, said = crc32(data)) => {
    const facts = { method: 93, size: data.length, crc: said }
    return zip([{ name: 'x.bin', method: 0, data: zstdCompressSync(data), local: facts, central: facts }])
  }
  t.match(await told(t, { bytes: entry(eicar) }), { status: 'infected', reasons: [{ entry: 'x.bin' }] })
  t.same(await told(t, { bytes: entry(text), name: 'a.zip' }), { status: 'clean', reasons: [] })
  t.match(await told(t, { bytes: entry(text, 1) }), { status: 'unscannable' })
})

test('what is cut off, damaged, encrypted or followed by something is not clean', { skip }, async (t) => {
  for (const [name, make] of Object.entries(formats)) {
    const whole = await make(good)
    const flipped = Buffer.from(whole)
    const at = whole.length < 40_000 ? 200 : whole.indexOf('line 1000')
    flipped[at] = (flipped[at] ?? 0) ^ 0xff
    for (const [how, bytes] of Object.entries({
      'cut off': whole.subarray(0, -9),
      'the first half': whole.subarray(0, whole.length / 2),
      'with more': Buffer.concat([whole, Buffer.from('more')]),
      ...(name === 'SquashFS' ? {} : { damaged: flipped }),
    }))
      t.not((await told(t, { bytes })).status, 'clean', `${name}, ${how}`)
  }
  const encrypted = { status: 'unscannable', reasons: [{ code: 'encrypted' }] }
  t.match(await told(t, { bytes: await sevenZip(bad, '-psecret', '-m0=Deflate64') }), encrypted)
  const limited = (limits: Upload['limits'] & {}) => async () =>
    await told(t, { bytes: await (formats.SquashFS as Make)(good), limits })
  const refused = (code: string) => ({ status: 'unscannable', reasons: [{ code }] })
  t.match(await limited({ entries: 2 })(), refused('too_many_entries'))
  t.match(await limited({ scratch: 20_000 })(), refused('too_large'))
  t.match(await limited({ ratio: 2, ratioFloor: 10_000 })(), refused('compression_ratio'))
})

test('names and comments add no entries to a list, and change none', (t) => {
  const facts = ['--', 'Path = /dev/stdin', 'Type = Arj', 'Physical Size = 99', '', '----------']
  const entry = (name: string, size: number, ...more: string[]) => [
    `Path = ${name}`,
    'Folder = -',
    `Size = ${size}`,
    ...more,
    '',
  ]
  const list = (...lines: string[]) => readList([...facts, ...lines].join('\n'))
  t.match(list(...entry('a', 7, 'Comment = Size = 1', 'Size = 2', 'Path = b'), ...entry('c', 8)), [
    { name: 'a', size: 7 },
    { name: 'c', size: 8 },
  ])
  const damaged = { code: 'malformed_archive' }
  t.throws(() => list(...entry('a', 7, 'Comment =', '{', '', 'no entry', '}')), damaged, 'a paragraph of none')
  t.throws(() => list(...entry('a', 7, 'Comment =', '----------')), damaged, 'another border')
  t.throws(() => list('Path = a', 'Folder = -', 'Size = '), { code: 'unsupported_archive' }, 'no size')
  t.throws(() => list('Path = a', 'Folder = +', 'Size = 5'), damaged, 'a folder with data')
  t.throws(() => list('Path = a', 'Mode = brw-r--r--', 'Size = 5'), damaged, 'a device with data')
  t.throws(() => list(...entry('a', 7, 'Encrypted = +')), { code: 'encrypted' })
  t.throws(() => readList(['--', 'ERRORS:', 'x', '----------'].join('\n')), damaged)
  t.throws(() => readList(['--', 'Volumes = 2', '----------'].join('\n')), { code: 'split_archive' })
  t.end()
})
