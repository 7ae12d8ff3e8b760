import { encodeChunks } from './chunks.ts'

/** Chunk stream of control messages. */
const control = 2

/**
 * Returns the response to a ping, encoded in chunks, or `undefined` for other messages. The response contains the time of
 * the ping (RTMP 1.0, 7.1.7).
 */
export function answerPing({ type, body }: { type: number; body: Buffer }): Buffer | undefined {
  if (type !== 4 || body.length < 6 || body.readUInt16BE() !== 6) return
  const pong = Buffer.concat([Buffer.from([0, 7]), body.subarray(2, 6)])
  return encodeChunks(control, 0, { type: 4, time: 0, body: pong })
}
