import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t, { test } from 'tap'
import { ordinaryFiles } from './ordinary.ts'
import { engineOf, examineBytes, standIn } from './stand-in.ts'

const has = (program: string) => {
  try {
    return execFileSync('which', [program]).length > 0
  } catch {
    return false
  }
}

const skip = has('python3') ? false : 'no python3 here'
const files = skip ? [] : await ordinaryFiles(join(t.testdir(), 'made'), 1)

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
