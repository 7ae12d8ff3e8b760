import type { Readable, Writable } from 'node:stream'

/** A message between the engine and its process: JSON, and bytes. */
export interface Frame {
  head: unknown
  body: Buffer
}

const headerBytes = 8

/** Maximum lengths in bytes. A process that was taken over by an image can send anything. */
const [mostHead, mostBody] = [64 * 2 ** 10, 128 * 2 ** 20]

/** Writes a frame: two lengths in 32 bits, the JSON and the bytes. */
export function writeFrame(pipe: Writable, head: unknown, body: Uint8Array = new Uint8Array()): void {
  const json = Buffer.from(JSON.stringify(head))
  const lengths = Buffer.alloc(headerBytes)
  lengths.writeUInt32LE(json.length, 0)
  lengths.writeUInt32LE(body.length, 4)
  pipe.write(Buffer.concat([lengths, json]))
  pipe.write(body)
}

/** Calls `onFrame` with each frame of a pipe. Calls `onFault` if a frame exceeds its limit or is not JSON. */
export function readFrames(pipe: Readable, onFrame: (frame: Frame) => void, onFault: () => void): void {
  let chunks: Buffer[] = []
  let length = 0
  let wanted = headerBytes
  pipe.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    while (length >= wanted) {
      const all = join(chunks, length)
      const [head, body] = [all.readUInt32LE(0), all.readUInt32LE(4)]
      if (head > mostHead || body > mostBody) return onFault()
      chunks = [all]
      wanted = headerBytes + head + body
      if (length < wanted) return
      const json = readJson(all.toString('utf8', headerBytes, headerBytes + head))
      if (json === undefined) return onFault()
      const frame = { head: json, body: all.subarray(headerBytes + head, wanted) }
      chunks = [all.subarray(wanted)]
      length -= wanted
      wanted = headerBytes
      onFrame(frame)
    }
  })
}

const join = (chunks: readonly Buffer[], length: number): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length)

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
