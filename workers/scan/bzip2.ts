import { Bits } from './bzip2-bits.ts'
import { readBlock } from './bzip2-block.ts'
import type { Inspection } from './inspection.ts'
import type { Opened } from './opened.ts'
import { malformed } from './refusal.ts'
import type { Source } from './source.ts'

const blockMark = [0x314159, 0x265359]
const endMark = [0x177245, 0x385090]
/** Bytes that no packed block exceeds: 900,000 at twenty bits, and its tables. */
const longestBlock = 2_500_000
const largestBlock = 900_000
const fewBlocks = 1000

/** Opens a file of bzip2: its streams, one after the other, are one content. */
export async function openBzip2(inspection: Inspection, source: Source): Promise<Opened> {
  const inners = async function* () {
    inspection.enter()
    yield { names: [], size: null, source: null, open: () => streamsOf(inspection, source) }
  }
  return { type: 'application/x-bzip2', holder: 'wrapper', inners: inners() }
}

async function* streamsOf(inspection: Inspection, source: Source): AsyncGenerator<Buffer> {
  const bits = new Bits(source)
  const links = new Uint32Array(largestBlock)
  let size = 0
  let blocks = 0
  while (bits.consumed < source.size) {
    const largest = await readHeader(bits)
    for (let sum = await nextBlock(bits); sum !== null; sum = await nextBlock(bits)) {
      inspection.signal.throwIfAborted()
      blocks += 1
      if (blocks > fewBlocks + size / 10_000) throw malformed('It has smaller blocks than any program writes.')
      for (const chunk of checked(readBlock(bits, links.subarray(0, largest)), sum)) {
        size += chunk.length
        inspection.checkRatio(source.size, size)
        yield chunk
      }
    }
    bits.align()
  }
}

/** The checksum of the block that follows; null where the stream ends. */
async function nextBlock(bits: Bits): Promise<number | null> {
  await bits.fill(longestBlock)
  const mark = [bits.take(24), bits.take(24)]
  const sum = bits.take(16) * 65536 + bits.take(16)
  if (String(mark) === String(endMark)) return null
  if (String(mark) !== String(blockMark)) throw malformed('The packed data are damaged.')
  return sum
}

/** The bytes of a block, which have to have its checksum. */
function* checked(bytes: Uint8Array, sum: number): Generator<Buffer> {
  let value = 0xffffffff
  for (const chunk of runsOf(bytes)) {
    value = summed(chunk, value)
    yield chunk
  }
  if (~value >>> 0 !== sum) throw malformed('The checksum of a block is not that of its data.')
}

async function readHeader(bits: Bits): Promise<number> {
  await bits.fill(4)
  const [mark, level] = [bits.take(24), bits.take(8) - 0x30]
  if (mark !== 0x425a68 || level < 1 || level > 9)
    throw malformed('Behind its data stands something that is no part of it.')
  return level * 100_000
}

const chunkSize = 64 * 1024

/** The bytes of a block: four equal ones are followed by how many more of them there are. */
function* runsOf(bytes: Uint8Array): Generator<Buffer> {
  let chunk = Buffer.alloc(chunkSize + 256)
  let filled = 0
  let same = 0
  let last = -1
  for (const byte of bytes) {
    if (same === 4) {
      chunk.fill(last, filled, filled + byte)
      filled += byte
      same = 0
      last = -1
    } else {
      same = byte === last ? same + 1 : 1
      last = byte
      chunk[filled++] = byte
    }
    if (filled < chunkSize) continue
    yield chunk.subarray(0, filled)
    chunk = Buffer.alloc(chunkSize + 256)
    filled = 0
  }
  if (filled > 0) yield chunk.subarray(0, filled)
}

const table = Int32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value
})

/** The checksum of bzip2, which is that of ZIP with its bits the other way round. */
function summed(bytes: Buffer, sum: number): number {
  let value = sum
  for (const byte of bytes) value = (value << 8) ^ (table[((value >>> 24) ^ byte) & 0xff] ?? 0)
  return value
}
