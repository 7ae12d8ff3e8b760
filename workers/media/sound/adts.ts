import { type FileHandle, open } from 'node:fs/promises'

const block = 2 ** 20

/** Size in bytes of a header without its checksum (ISO/IEC 13818-7, 6.2). */
const headerBytes = 7

async function* headers(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(block)
  let at = 0
  while (true) {
    const { bytesRead } = await file.read(buffer, 0, block, at)
    let offset = 0
    while (offset + headerBytes <= bytesRead) {
      const header = buffer.subarray(offset, offset + headerBytes)
      const [sync, , , high, middle, low] = header as unknown as number[] & { length: 7 }
      const length = (((high ?? 0) & 0x3) << 11) | ((middle ?? 0) << 3) | ((low ?? 0) >> 5)
      if (sync !== 0xff || length < headerBytes) return
      yield header
      offset += length
    }
    if (offset === 0) return
    at += offset
  }
}

/**
 * True if the sample rate or the channels of an ADTS file change. Containers with one track description cannot express
 * such a change.
 */
export async function hasLayoutChange(path: string): Promise<boolean> {
  await using file = await open(path)
  let first: number | undefined
  for await (const header of headers(file)) {
    const layout = header.readUInt16BE(2) & 0b0011_1101_1100_0000
    first ??= layout
    if (layout !== first) return true
  }
  return false
}
