import { type Test, test } from 'tap'
import { eicar, gz, tar, tarHeader, u16, u32, zip } from './archives.ts'
import * as made from './blocks.ts'
import { engineOf, examineBytes } from './stand-in.ts'
import { missingTools } from './tools.ts'

const missing = await missingTools()
const skip = missing.length > 0 ? `no ${missing.join(', ')} here` : false

/** An engine that knows EICAR where a content begins with it, and nowhere else. */
const strict = engineOf(async (bytes) => {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(Buffer.from(chunk as Buffer))
  const isBad = Buffer.concat(chunks).subarray(0, eicar.length).equals(eicar)
  return isBad ? { status: 'infected', signature: 'Eicar-Test-Signature' } : { status: 'clean' }
})

type Shapes = Record<string, Buffer>

async function allEnd(t: Test, statuses: string[], shapes: Shapes) {
  for (const [name, bytes] of Object.entries(shapes)) {
    const { status, reasons } = await examineBytes(t.testdir(), { bytes }, strict)
    t.ok(statuses.includes(status), `${name}: ${status}, ${reasons[0]?.detail}`)
  }
}

const latin = (text: string) => Buffer.from(text, 'latin1')
const text = 'clean\n'.repeat(20)
const {
  quickOpen,
  newRarLocator,
  newc,
  newcEnd,
  oldCpio,
  rarBlock,
  rarEnd,
  rarFile,
  rarOf,
  newRarBlock,
  newRarEnd,
  newRarFile,
  newRarOf,
} = made

const within = Buffer.concat([latin('junk'), newc('eicar.com', eicar), newcEnd])
const cpioWith = (...entries: Buffer[]) => Buffer.concat([...entries, newc('c.txt', text), newcEnd])

test('an entry of cpio that is no file and has data, which some tools take for entries, is not clean', (t) =>
  allEnd(t, ['suspicious', 'unscannable'], {
    'a folder': cpioWith(newc('d', within, 0o040755)),
    'a pipe': cpioWith(newc('d', within, 0o010644)),
    'a device': cpioWith(newc('d', within, 0o020644)),
    'what is nothing': cpioWith(newc('d', within, 0o644)),
  }))

test('an archive of cpio is found by any kind of its headers, as tools find it', async (t) => {
  const end = (isBig: boolean) => oldCpio('TRAILER!!!', '', isBig)
  const old = (isBig: boolean, data: Buffer | string) =>
    Buffer.concat([oldCpio('c.txt', text, isBig), oldCpio('e.com', data, isBig), end(isBig)])
  await allEnd(t, ['infected'], { 'the oldest': old(false, eicar), 'the oldest of a big machine': old(true, eicar) })
  await allEnd(t, ['clean'], {
    'the oldest': old(false, 'clean'),
    'the oldest of a big machine': old(true, 'clean'),
    'a folder and a link': cpioWith(newc('d', '', 0o040755), newc('l', 'c.txt', 0o120777)),
    'a text of numbers': latin('070701,070727,07070X\n'.repeat(5000)),
    'more numbers': Buffer.concat([Buffer.alloc(9), latin('0707010707070707'.repeat(5000))]),
  })
  const lenient = Buffer.from(cpioWith(newc('e.com', eicar)))
  lenient.write('      ', 102)
  await allEnd(t, ['suspicious', 'unscannable'], {
    'a header with a blank for a number': lenient,
    'behind other bytes': Buffer.concat([latin('\x01\x02junk'), cpioWith(newc('e.com', eicar))]),
    'that of afio': Buffer.concat([latin(`070727${'0'.repeat(110)}`), latin('e.com\0'), eicar]),
    'that of RPM for what is large': Buffer.concat([latin('07070X00000000\0\0'), eicar]),
  })
})

/** Makes the first bytes the header of a tar archive as well, of which `bytes` have what counts to others. */
function asTar(bytes: Buffer, header: Buffer): Buffer {
  const shape = Buffer.from(bytes)
  header.copy(shape, 100, 100, 148)
  header.copy(shape, 156, 156, 265)
  shape.write(' '.repeat(8), 148)
  const sum = shape.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  shape.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return shape
}

test('an archive that is one of tar as well is not clean, whichever of the two its entries are clean in', async (t) => {
  const inner = tar({ 'eicar.com': eicar })
  const head = latin('\x1f\x8b\x08\x04\0\0\0\0\0\x03')
  const gzip = Buffer.concat([head, u16(500 + inner.length), Buffer.alloc(500), inner, gz('clean').subarray(10)])
  const extra = Buffer.concat([u16(0x9999, 477 + inner.length), Buffer.alloc(477), inner])
  const zipped = zip([{ name: 'a', data: 'clean', method: 0, local: { extra }, central: { extra } }])
  const frame = Buffer.concat([u32(0x184d2a50, 504 + inner.length), Buffer.alloc(504), inner])
  const size = 1024
  const first = asTar(newc('n'.repeat(401), text), tarHeader('', size))
  first.write('00000000', 100)
  const rest = Buffer.concat([first.subarray(512), newc('e.com', eicar), newcEnd])
  const named = Buffer.concat([first.subarray(0, 512), rest, Buffer.alloc(size - rest.length + 1024)])
  const none = tarHeader('', 0)
  await allEnd(t, ['suspicious', 'infected'], {
    'of gzip': asTar(gzip, none),
    'of Zstandard': asTar(frame, none),
    'of ZIP': asTar(zipped, none),
    'of cpio': asTar(named, Buffer.concat([Buffer.alloc(100), first.subarray(100, 512)])),
    'a picture': asTar(Buffer.concat([latin('GIF89a'), Buffer.alloc(506), inner]), tarHeader('', 0, { magic: '' })),
  })
})

const clean = rarFile('c.txt', text)
const bad = rarFile('eicar.com', eicar)

test('a RAR archive whose blocks or files are others for some tools is not clean', { skip }, async (t) => {
  const shorter = Buffer.concat([clean, rarEnd])
  const shapes: Shapes = {
    'files in what the first block says is its own': rarOf(
      [shorter, bad],
      rarBlock(0x73, 0x8000, Buffer.concat([u32(shorter.length), u16(0)])),
    ),
    'a file in a block of the archive': rarOf([clean, rarFile('eicar.com', eicar, { type: 0x7a })]),
    'a second stream of a file': rarOf([clean, rarFile('STM', eicar, { type: 0x7a })]),
    'a block of no known type': rarOf([clean, rarBlock(0x70, 0x4000), bad]),
    'a file of no size': rarOf([clean, rarFile('eicar.com', eicar, { size: 0 })]),
    'a link with a zero in it': rarOf([clean, rarFile('l', `a\0${eicar}`, { mode: 0o120777 })]),
    'a file packed in the way of version 2': rarOf([clean, rarFile('eicar.com', eicar, { method: 0x33 })]),
    'a folder with data, by its attributes': rarOf([rarFile('d', eicar, { system: 2, mode: 0x10 })]),
    'a folder with data, by its flags': rarOf([rarFile('d', text, { flags: 0xe0 })]),
    'an archive of version 1.4': Buffer.concat([latin('RE~^\x07\0\0'), eicar]),
  }
  for (const mode of [0o040755, 0o020644, 0o010644, 0o644])
    shapes[`a file of mode ${mode.toString(8)}`] = rarOf([clean, rarFile('eicar.com', eicar, { mode })])
  await allEnd(t, ['unscannable'], shapes)
})

const newClean = newRarFile('c.txt', text)
const newBad = newRarFile('eicar.com', eicar)
const hidden = Buffer.concat([newClean, newRarEnd])

test('a RAR archive of version 5 whose blocks or files are others for some tools is not clean', { skip }, async (t) => {
  const shapes: Shapes = {
    'a block at which libarchive ends': newRarOf([newClean, newRarBlock(0, 4), newBad]),
    'a block within which libarchive reads on': newRarOf([newRarBlock(6, 4, hidden), newBad]),
    'a first block with data': newRarOf([hidden, newBad], newRarBlock(1, 2, hidden.length, 0)),
    'a first block longer than its fields': newRarOf([newBad], newRarBlock(1, 0, 0, hidden)),
    'a first block longer than its records': newRarOf(
      [newBad],
      newRarBlock(1, 1, 3 + hidden.length, 0, Buffer.from([2, 1, 0]), hidden),
    ),
    'a file whose header is longer than its fields': newRarOf([newRarFile('c.txt', '', { slack: hidden }), newBad]),
    'two first blocks': newRarOf([newClean, newRarBlock(1, 0, 0), newBad]),
    'a file in a block of the archive': newRarOf([newClean, newRarFile('eicar.com', eicar, { type: 3 })]),
    'a second stream of a file': newRarOf([newClean, newRarFile('STM', eicar, { type: 3 })]),
    'a copy with data': newRarOf([newRarFile('eicar.com', eicar, { records: Buffer.from([5, 5, 5, 0, 1, 0x61]) })]),
    'a folder with data': newRarOf([newClean, newRarFile('d', eicar, { own: 1 })]),
  }
  for (const mode of [0o040755, 0o020644, 0o120777, 0o644])
    shapes[`a file of mode ${mode.toString(8)}`] = newRarOf([newClean, newRarFile('eicar.com', eicar, { mode })])
  await allEnd(t, ['unscannable'], shapes)
})

test('a RAR archive with folders is clean', { skip }, async (t) => {
  const folder = newRarFile('d', '', { mode: 0o040755, own: 1 })
  const oldFolder = rarFile('d', '', { mode: 0o040755, flags: 0xe0 })
  const times = newRarFile('e.txt', text, { records: Buffer.from([6, 3, 2, 0, 0, 0, 0]) })
  await allEnd(t, ['clean'], {
    'version 4': rarOf([oldFolder, clean]),
    'version 5': newRarOf([folder, newClean, newRarFile('e', '', { own: 1, mode: 0o040755 }), times], newRarLocator(0)),
  })
  await allEnd(t, ['infected'], { 'but not a bad file behind a folder': newRarOf([folder, newBad]) })
})

/** What says that an entry is another one: a link of Unix or Windows, a junction, a hard link, a copy. */
const other = (way: number, target: string) =>
  Buffer.concat([Buffer.from([4 + target.length, 5, way, 0, target.length]), latin(target)])
const linked = (name: string, way: number, target: string) => newRarFile(name, '', { records: other(way, target) })

test('a RAR archive with links, comments or copies of headers, which programs read in different ways, is not clean', {
  skip,
}, async (t) => {
  const header = newClean.subarray(0, newClean.length - text.length)
  const another = newBad.subarray(0, newBad.length - eicar.length)
  const copies = (copy: Buffer) => quickOpen([[newClean.length, copy]])
  const place = newRarLocator(0).length + newClean.length
  const within = newRarFile('d.bin', copies(another))
  const shapes: Shapes = {
    'a link of version 4': rarOf([clean, rarFile('l', 'c.txt', { mode: 0o120777 })]),
    'a comment': newRarOf([newClean, newRarFile('CMT', 'a comment', { type: 3 })]),
    'a link with more behind it': newRarOf([
      newClean,
      newRarFile('h', '', { records: Buffer.from([6, 5, 4, 0, 1, 0x63, 0]) }),
    ]),
    'copies of headers': newRarOf([newClean, copies(header)], newRarLocator(place)),
    'copies of headers at no place that is told': newRarOf([newClean, copies(header)], newRarLocator(0)),
    'copies of other headers': newRarOf([newClean, copies(another)], newRarLocator(place)),
    'copies of headers within a file': newRarOf(
      [newClean, within],
      newRarLocator(place + within.length - copies(another).length),
    ),
  }
  for (const way of [1, 2, 3, 4, 5, 6]) {
    shapes[`a link of way ${way}`] = newRarOf([newClean, linked('l', way, 'c.txt')])
    shapes[`a link of way ${way} that EICAR is written into`] = newRarOf([newClean, linked('l', way, `${eicar}`)])
  }
  await allEnd(t, ['unscannable'], shapes)
})

test('what bsdtar says of folders hides nothing else that it says', { skip }, async (t) => {
  const folder = newRarFile('d', '', { own: 1 })
  const named = "ab: Can't decompress an entry marked as a directory"
  const file = (method: number) => newRarOf([folder, newRarFile(named, text, { method })])
  await allEnd(t, ['clean'], { 'a file by the name of a complaint': file(0) })
  await allEnd(t, ['unscannable'], { 'one that is damaged': file(3) })
})
