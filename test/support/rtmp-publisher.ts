import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from './until.ts'

/** A tag of an FLV file (Video File Format Specification 10.1, E.4.1), with the same content as an RTMP message. */
export interface Tag {
  type: number
  time: number
  body: Buffer
}

/** Maximum chunk size in bytes: complete messages, so no chunk continues another. */
const chunkSize = 2 ** 20

export interface RtmpPublisher {
  socket: Socket
  send(tag: Tag): void
  /** Waits for the response to the publish request. Before it, frames are lost. */
  accepted(): Promise<boolean>
}

/** Publishes with a key like an encoder, up to the first frame (RTMP 1.0, 5.2 and 7.2). */
export async function openPublisher(url: string): Promise<RtmpPublisher> {
  const { hostname, port, pathname } = new URL(url)
  const [, app = '', key = ''] = pathname.split('/')
  const socket = connect(Number(port), hostname)
  let received = 0
  socket.on('error', () => {})
  socket.on('data', (data) => {
    received += data.length
  })
  const answered = async (bytes: number) => await until(() => received > bytes, { every: 10 })
  socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(1536)]))
  await answered(3072)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(chunkSize)
  const pair = (name: string, value: string) => Buffer.concat([amf(name).subarray(1), amf(value)])
  const options = [pair('app', app), pair('tcUrl', `rtmp://${hostname}:${port}/${app}`)]
  const object = Buffer.concat([Buffer.from([3]), ...options, Buffer.from([0, 0, 9])])
  const opening = [message(0, { type: 1, time: 0, body: size }), command(0, amf('connect'), amf(1), object)]
  socket.write(Buffer.concat([Buffer.alloc(1536), ...opening]))
  await answered(3200)
  const created = received
  socket.write(command(0, amf('createStream'), amf(2), amf(null)))
  await answered(created)
  const wished = received
  socket.write(command(1, amf('publish'), amf(3), amf(null), amf(key), amf('live')))
  return { socket, send: (tag) => socket.write(message(1, tag)), accepted: () => answered(wished) }
}

/** Publishes a file in real time. `clock` converts its timestamps. */
export async function publishFile(url: string, path: string, clock: (time: number) => number): Promise<void> {
  const tags = tagsOf(await readFile(path))
  const { socket, send, accepted } = await openPublisher(url)
  await accepted()
  const begun = Date.now()
  for (const tag of tags) {
    const early = begun + tag.time - Date.now()
    if (early > 0) await pause(early)
    send({ ...tag, time: clock(tag.time) })
  }
  socket.end()
}

export function tagsOf(file: Buffer): Tag[] {
  const tags: Tag[] = []
  for (let at = 13; at < file.length; ) {
    const length = file.readUIntBE(at + 1, 3)
    const time = file.readUIntBE(at + 4, 3) + (file[at + 7] ?? 0) * 2 ** 24
    tags.push({ type: file[at] ?? 0, time, body: file.subarray(at + 11, at + 11 + length) })
    at += 11 + length + 4
  }
  return tags
}

/** Returns a message as one chunk with a full header (RTMP 1.0, 5.3.1.2). */
function message(stream: number, { type, time, body }: Tag): Buffer {
  const isExtended = time >= 0xffffff
  const head = Buffer.alloc(isExtended ? 16 : 12)
  head[0] = 3
  head.writeUIntBE(isExtended ? 0xffffff : time, 1, 3)
  head.writeUIntBE(body.length, 4, 3)
  head[7] = type
  head.writeUInt32LE(stream, 8)
  if (isExtended) head.writeUInt32BE(time, 12)
  return Buffer.concat([head, body])
}

const command = (stream: number, ...values: Buffer[]) =>
  message(stream, { type: 20, time: 0, body: Buffer.concat(values) })

/** Encodes an AMF0 string, number or null for an RTMP command. */
function amf(value: string | number | null): Buffer {
  if (value === null) return Buffer.from([5])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9)
    bytes.writeDoubleBE(value, 1)
    return bytes
  }
  const text = Buffer.from(value)
  return Buffer.concat([Buffer.from([2, text.length >> 8, text.length & 255]), text])
}
