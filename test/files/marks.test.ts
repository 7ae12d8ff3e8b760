import { randomBytes } from 'node:crypto'
import t from 'tap'
import { all, encoded, type Mark } from '../../workers/scan/kinds/embedded.ts'
import { MarkSearch } from '../../workers/scan/kinds/mark-search.ts'
import { Marks } from '../../workers/scan/kinds/marks.ts'
import { memorySource } from '../../workers/scan/source.ts'
import { zip } from './archives.ts'

const isAt = (bytes: Buffer, at: number, { bytes: what }: Mark) => bytes.subarray(at, at + what.length).equals(what)

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

t.test('each mark is found wherever it ends, and told by the range that it ends in', async (t) => {
  const marks = [...all, encoded]
  const search = new MarkSearch(marks)
  const size = 65_600
  for (const mark of marks) {
    const bytes = Buffer.alloc(size, 'x')
    const name = mark.bytes.toString('hex')
    const ends = [2, 2047, 2048, 2049, 2050, 65_535, 65_536, 65_537, 65_538, size].filter(
      (end) => end >= mark.bytes.length,
    )
    for (const end of ends) mark.bytes.copy(bytes, end - mark.bytes.length)
    // One may have been written over by the next, and two together be a third.
    const places = ends.map((end) => end - mark.bytes.length).filter((at) => isAt(bytes, at, mark))
    for (const border of [1, 2, 2047, 2048, 2049, 65_535, 65_536, 65_537, size - 1]) {
      const told = [...search.endingIn(bytes, 0, border), ...search.endingIn(bytes, border, size)]
      const own = told.filter((found) => found.mark === mark).map(({ at }) => at)
      t.same(
        new Set(own),
        new Set(places.concat(own.filter((at) => isAt(bytes, at, mark)))),
        `${name}, cut at ${border}`,
      )
      t.equal(own.length, new Set(own).size, 'each once')
    }
  }
  const stale = new MarkSearch(marks)
  stale.endingIn(Buffer.from('xPK\x03\x04'), 0, 5)
  for (const text of ['xP', 'P', ''])
    t.same(stale.endingIn(Buffer.from(text), 0, text.length), [], 'as others have passed')
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
