import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t, { test } from 'tap'
import { ordinaryFiles, typeOf } from './ordinary.ts'
import { gif, jpeg } from './pictures.ts'
import { examineBytes } from './stand-in.ts'

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
