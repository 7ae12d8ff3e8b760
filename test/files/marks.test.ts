import { randomBytes } from 'node:crypto'
import t from 'tap'
import { holdsArchive } from '../../workers/scan/kinds/marks.ts'
import { memorySource } from '../../workers/scan/source.ts'
import { tar, zip } from './archives.ts'
import { archivesWithEicar } from './fuzz.ts'
import { missingTools } from './tools.ts'

const mebibyte = 2 ** 20
const holds = async (...parts: Buffer[]) => await holdsArchive(memorySource(Buffer.concat(parts)), false)
const missing = await missingTools('arj', 'compress', 'mksquashfs', 'mke2fs', 'mcopy')

t.test('an archive is found where programs look for it behind other bytes, wherever it begins there', async (t) => {
  const shapes = { zip: zip([{ name: 'a.txt', data: 'hidden' }]), 'old tar': tar({ a: 'hidden' }) }
  for (const [name, archive] of Object.entries(shapes)) {
    const step = name === 'zip' ? 1 : 512
    for (const before of [1, 2, 511, 2047, 65_535, 65_536, mebibyte / 512 - 1].map((blocks) => blocks * step))
      t.ok(await holds(Buffer.alloc(before, 'x'), archive), `${name} behind ${before}`)
    if (name === 'old tar')
      t.ok(await holds(Buffer.alloc(10 * mebibyte, 'x'), archive, Buffer.alloc(3 * mebibyte, 'x')), 'in the middle')
    for (const behind of [0, 512, 65_536, mebibyte - 20_480])
      t.ok(await holds(Buffer.alloc(5 * mebibyte, 'x'), archive, Buffer.alloc(behind, 'x')), `${name} before ${behind}`)
  }
})

t.test(
  'every archive that programs find behind other bytes is found there',
  { skip: missing.length > 0 },
  async (t) => {
    const noise = Buffer.alloc(1024, '\x01\xfe\x02')
    for (const [name, archive] of await archivesWithEicar())
      if (!/uuencode|b64encode|compress|warc|ar$|lz4|lzop|lzip/.test(name)) t.ok(await holds(noise, archive), name)
  },
)

t.test('bytes with more chances than any honest file are taken for an archive, others by what follows', async (t) => {
  const chance = Buffer.concat([Buffer.from('\x1f\x8b\x08\0', 'latin1'), Buffer.alloc(60, 0xff)])
  const twoBytes = Buffer.concat([Buffer.alloc(98, 0xff), Buffer.from('c771', 'hex')])
  t.notOk(await holds(...Array.from({ length: 1900 }, () => chance)))
  t.ok(await holds(...Array.from({ length: 2100 }, () => chance)))
  t.notOk(await holds(...Array.from({ length: 5000 }, () => twoBytes)), 'two bytes stand anywhere')
  t.notOk(await holds(randomBytes(3 * mebibyte)))
})
