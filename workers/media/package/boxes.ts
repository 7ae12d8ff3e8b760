import type { FileHandle } from 'node:fs/promises'

/** A box of an ISO base media file (ISO/IEC 14496-12, 4.2), with start and end of its content. */
export interface Box {
  type: string
  start: number
  end: number
}

/** Reads the header of a box. A size of 0 means that the box extends to the end. */
function header(bytes: Buffer, at: number, offset: number, end: number): Box & { next: number } {
  const size = bytes.readUInt32BE(at)
  const type = bytes.toString('latin1', at + 4, at + 8)
  const large = size === 1
  const next = size === 0 ? end : offset + (large ? Number(bytes.readBigUInt64BE(at + 8)) : size)
  const start = offset + (large ? 16 : 8)
  if (next < start || next > end) throw new RangeError(`Box ${type} at ${offset} does not fit into its parent.`)
  return { type, start, end: next, next }
}

export function boxesIn(bytes: Buffer, start = 0, end = bytes.length): Box[] {
  const found: Box[] = []
  for (let at = start; at + 8 <= end; ) {
    const { next, ...box } = header(bytes, at, at, end)
    found.push(box)
    at = next
  }
  return found
}

export function boxesAt(bytes: Buffer, path: string, start = 0, end = bytes.length): Box[] {
  const [type, ...rest] = path.split('/')
  const here = boxesIn(bytes, start, end).filter((box) => box.type === type)
  return rest.length === 0 ? here : here.flatMap((box) => boxesAt(bytes, rest.join('/'), box.start, box.end))
}

/** Returns the top-level boxes of the given types with their content. Media data is skipped, not read. */
export async function topBoxes(file: FileHandle, wanted: string[]): Promise<{ box: Box; content: Buffer }[]> {
  const { size } = await file.stat()
  const found: { box: Box; content: Buffer }[] = []
  const head = Buffer.alloc(16)
  for (let at = 0; at + 8 <= size; ) {
    await file.read(head, 0, 16, at)
    const { next, ...box } = header(head, 0, at, size)
    if (wanted.includes(box.type)) {
      const content = Buffer.alloc(box.end - box.start)
      await file.read(content, 0, content.length, box.start)
      found.push({ box, content })
    }
    at = next
  }
  return found
}
