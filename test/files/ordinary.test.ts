import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t, { test } from 'tap'
import { ordinaryFiles, typeOf } from './ordinary.ts'
import { gif, jpeg } from './pictures.ts'
import { engineOf, examineBytes, standIn } from './stand-in.ts'

const has = (program: string) => {
  try {
    return execFileSync('which', [program]).length > 0
  } catch {
    return false
  }
}

/** What these programs unpack is unscannable without them. */
const canBeOpened = (name: string) =>
  (has('bsdtar') || !name.endsWith('.7z')) &&
  (has('xz') || !/\.(?:xz|lzma|lz)$/.test(name)) &&
  (has('bzip2') || !name.endsWith('.bz2')) &&
  (has('7zz') || !/\.(?:arj|wim|squashfs|Z)$|deflate64|arm64/.test(name)) &&
  (has('lz4') || !name.endsWith('.lz4')) &&
  (has('lzop') || !name.endsWith('.lzo'))

const skip = has('python3') ? false : 'no python3 here'
const files = skip ? [] : await ordinaryFiles(join(t.testdir(), 'made'), 1)

test('ordinary documents and archives of the usual makers are clean', { skip }, async (t) => {
  const folder = t.testdir()
  t.ok(files.length >= (has('zip') && has('7zz') ? 70 : 35), `${files.length} files were made`)
  for (const { name, bytes } of files) {
    if (!canBeOpened(name)) continue
    const { status, reasons } = await examineBytes(folder, { bytes, name, type: typeOf(name) })
    t.equal(status, 'clean', `${name} ${JSON.stringify(reasons)}`)
  }
  for (const [name, bytes] of Object.entries({ 'a.jpg': jpeg, 'a.gif': gif })) {
    t.match(await examineBytes(folder, { bytes, name, type: typeOf(name) }), { status: 'clean', reasons: [] }, name)
  }
})

test('the type of a file is that of its bytes and of its entries', { skip }, async (t) => {
  const folder = t.testdir()
  const wanted: Record<string, RegExp> = {
    'letter.docx': /wordprocessingml/,
    'table.xlsx': /spreadsheetml/,
    'slides.pptx': /presentationml/,
    'open.odt': /opendocument\.text/,
    'book.epub': /epub/,
    'hand.jar': /java-archive/,
    'app.apk': /android/,
    'python-deflated.zip': /^application\/zip$/,
    'photo.png': /^image\/png$/,
    'drawing.svg': /svg/,
    'page.html': /html/,
    'old.pdf': /pdf/,
    'readme.md': /^text\/plain$/,
  }
  for (const { name, bytes } of files) {
    const type = wanted[name]
    if (type) t.match((await examineBytes(folder, { bytes })).sniffedType, type, name)
  }
  t.equal((await examineBytes(folder, { bytes: Buffer.from([1, 2, 3]) })).sniffedType, null)
})

test('the engine is given the file itself and each entry that a tool would unpack', { skip }, async (t) => {
  const folder = t.testdir()
  const file = files.find(({ name }) => name === 'python-nested.zip')
  t.ok(file)
  const sizes: (number | null)[] = []
  const counting = engineOf((bytes, size, signal) => {
    sizes.push(size)
    return standIn.scan(bytes, size, signal)
  })
  await examineBytes(folder, { bytes: file?.bytes ?? '' }, counting)
  // 3 entries, 9 of the inner ZIP archive's that have bytes, 9 of the tar archive's and it, what c.gz holds, then itself.
  t.equal(sizes.length, 3 + 9 + 10 + 1 + 1)
  t.equal(sizes.at(-1), file?.bytes.length)
})
