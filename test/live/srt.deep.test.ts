import { randomBytes, randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { exitOf, liveStack } from '../support/live-stack.ts'

const stack = await liveStack(t)
await stack.startLive()

/** The first datagram of a caller (draft-sharabayko-srt-01 §4.3.1.1): header, version 4, extension 2, induction. */
function induction(): Buffer {
  const bytes = Buffer.alloc(64)
  bytes.writeUInt32BE(0x80000000, 0)
  for (const [at, value] of [
    [16, 4],
    [20, 2],
    [24, randomInt(2 ** 31)],
    [28, 1500],
    [32, 8192],
    [36, 1],
  ] as const)
    bytes.writeUInt32BE(value, at)
  randomBytes(4).copy(bytes, 40)
  bytes.writeUInt8(127, 48)
  return bytes
}

t.test(
  'a thousand mutated SRT handshakes publish nothing, and a caller with the passphrase gets through after them',
  async (t) => {
    const channel = await stack.makeChannel()
    const port = Number(new URL(channel.srt.replace(/^srt:/, 'http:')).port)
    const socket = createSocket('udp4')
    t.teardown(() => socket.close())
    socket.on('error', () => {})
    for (let i = 0; i < 1_000; i++) {
      const bytes = Buffer.concat([induction(), randomBytes(randomInt(200))])
      for (let changed = randomInt(24); changed > 0; changed--) bytes[randomInt(bytes.length)] = randomInt(256)
      socket.send(bytes.subarray(0, randomInt(1, bytes.length + 1)), port, '127.0.0.1')
      // As fast as a listener takes them: what the kernel drops proves nothing.
      if (i % 10 === 9) await pause(10)
    }
    t.equal((await channel.read()).state, 'idle')
    const wrong = stack.publish(channel.srt.replace(/passphrase=[^&]+/, 'passphrase=not-the-right-one'), {
      format: 'mpegts',
      seconds: 60,
    })
    await exitOf(wrong)
    t.equal((await channel.read()).state, 'idle')
    const publisher = stack.publish(channel.srt, { format: 'mpegts', seconds: 60 })
    await channel.state('live', 'srt')
    publisher.kill('SIGKILL')
  },
)
