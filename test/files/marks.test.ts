import { randomBytes } from 'node:crypto'
import t from 'tap'
import { Marks } from '../../workers/scan/kinds/marks.ts'
import { memorySource } from '../../workers/scan/source.ts'
import { zip } from './archives.ts'

t.test('a mark is found wherever the bytes are cut, and only the first time', async (t) => {
  const archive = zip([{ name: 'a.txt', data: 'hidden' }])
  const bytes = Buffer.concat([Buffer.alloc(20, 'x'), archive, Buffer.alloc(20, 'x')])
  const source = memorySource(bytes)
  for (let length = 1; length <= bytes.length; length++) {
    const marks = new Marks(false)
    for (let at = 0; at < bytes.length; at += length) marks.add(bytes.subarray(at, at + length))
    t.equal(marks.size, bytes.length)
    t.ok(await marks.holdArchive(source), `in chunks of ${length}`)
  }
})

t.test('bytes with more chances than any honest file are taken for an archive, others by what follows', async (t) => {
  const chance = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(60, 0xff)])
  const holds = async (count: number) => {
    const bytes = Buffer.concat(Array.from({ length: count }, () => chance))
    const marks = new Marks(false)
    for (let at = 0; at < bytes.length; at += 1000) marks.add(bytes.subarray(at, at + 1000))
    return await marks.holdArchive(memorySource(bytes))
  }
  const twoBytes = Buffer.concat([Buffer.alloc(900, 0xff), Buffer.from('c771', 'hex'), Buffer.alloc(98, 0xff)])
  const cut = new Marks(false)
  for (let count = 0; count < 2100; count++) cut.add(twoBytes)
  const source = { size: cut.size, read: async () => twoBytes.subarray(900) }
  t.notOk(await cut.holdArchive(source), 'two bytes, though the name behind the header is in the next chunk')
  t.notOk(await holds(1900))
  t.ok(await holds(2100))
  const marks = new Marks(false)
  const noise = randomBytes(100_000)
  marks.add(noise)
  t.notOk(await marks.holdArchive(memorySource(noise)))
})
