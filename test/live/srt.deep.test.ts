import { randomBytes, randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { exitOf, liveStack } from '../support/live-stack.ts'
import { induction } from './induction.ts'

const stack = await liveStack(t)
await stack.startLive()

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
