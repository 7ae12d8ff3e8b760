import { createSocket } from 'node:dgram'

const [rate, hertz, packetMs] = [8_000, 440, 20]

function aLaw(sample: number): number {
  const sign = sample >= 0 ? 0x80 : 0
  const level = Math.min(4_095, Math.floor(Math.abs(sample) * 4_096))
  const segment = level < 32 ? 0 : Math.floor(Math.log2(level)) - 4
  const step = segment < 2 ? level >> 1 : level >> segment
  return (sign | (segment << 4) | (step & 0x0f)) ^ 0x55
}

/** One second of the tone. The tone starts and ends at the same point of the wave. */
const tone = Buffer.from(Array.from({ length: rate }, (_, n) => aLaw(Math.sin((2 * Math.PI * hertz * n) / rate) / 4)))

export interface Tone {
  port: number
  sendTo(port: number): void
  close(): void
}

export async function openTone(host: string): Promise<Tone> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(0, host, resolve))
  socket.on('error', () => {})
  const samples = (rate * packetMs) / 1000
  let [packet, listener] = [0, 0]
  const timer = setInterval(() => {
    if (listener === 0) return
    const header = Buffer.alloc(12)
    header.set([0x80, packet === 0 ? 0x88 : 0x08])
    header.writeUInt16BE(packet & 0xffff, 2)
    header.writeUInt32BE((packet * samples) >>> 0, 4)
    header.writeUInt32BE(socket.address().port, 8)
    const from = (packet * samples) % rate
    socket.send(Buffer.concat([header, tone.subarray(from, from + samples)]), listener, host)
    packet++
  }, packetMs)
  return {
    port: socket.address().port,
    sendTo(port) {
      listener = port
    },
    close() {
      clearInterval(timer)
      socket.close()
    },
  }
}
