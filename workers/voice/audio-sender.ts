import { randomBytes, randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Format, formats, silence } from './g711.ts'

/** Samples and milliseconds per packet. */
const [frame, frameMs] = [160, 20]

export interface AudioTarget {
  address: string
  port: number
  format: Format
}

/** Sends audio to a telephone by RTP (RFC 3550). Received packets are ignored. */
export class AudioSender {
  readonly port: number
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
    this.port = socket.address().port
    socket.on('error', () => {})
  }

  static async open(): Promise<AudioSender> {
    const socket = createSocket('udp4')
    socket.bind(0)
    await once(socket, 'listening')
    return new AudioSender(socket)
  }

  /** Returns the offer for a call: G.711 in both forms. */
  offer(address: string): string {
    return [
      'v=0',
      `o=- 0 0 IN IP4 ${address}`,
      's=-',
      `c=IN IP4 ${address}`,
      't=0 0',
      `m=audio ${this.port} RTP/AVP 8 0`,
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:0 PCMU/8000',
      'a=ptime:20',
      'a=sendrecv',
      '',
    ].join('\r\n')
  }

  /** Sends the samples at the speed of speech. Half a second of silence comes first, until the phone is at the ear. */
  async play(samples: Int16Array, { address, port, format }: AudioTarget, signal: AbortSignal): Promise<void> {
    const encode = formats[format]
    const [source, firstTime, firstNumber] = [randomBytes(4), randomInt(2 ** 31), randomInt(2 ** 15)]
    const lead = frame * 25
    const count = Math.ceil((lead + samples.length) / frame) + 25
    const begun = performance.now()
    for (let i = 0; i < count; i++) {
      const packet = Buffer.alloc(12 + frame, silence[format])
      packet[0] = 0x80
      packet[1] = format | (i === 0 ? 0x80 : 0)
      packet.writeUInt16BE((firstNumber + i) & 0xffff, 2)
      packet.writeUInt32BE((firstTime + i * frame) >>> 0, 4)
      source.copy(packet, 8)
      for (let k = 0; k < frame; k++) {
        const sample = samples[i * frame + k - lead]
        if (sample !== undefined) packet[12 + k] = encode(sample)
      }
      this.#socket.send(packet, port, address)
      await pause(Math.max(0, begun + (i + 1) * frameMs - performance.now()), undefined, { signal })
    }
  }

  close(): void {
    this.#socket.close()
  }
}

/** Reads where a telephone receives audio. Undefined if its answer has no format that can be sent. */
export function readTarget(sdp: string): AudioTarget | undefined {
  const lines = sdp.split(/\r\n|\r|\n/)
  const at = lines.findIndex((line) => line.startsWith('m=audio '))
  const media = /^m=audio (\d{1,5})(?:\/\d+)? RTP\/AVP ([\d ]+)$/.exec(lines[at] ?? '')
  const isConnection = (line: string) => line.startsWith('c=IN IP4 ')
  const connection = lines.slice(at).find(isConnection) ?? lines.slice(0, Math.max(0, at)).find(isConnection)
  const address = connection?.slice('c=IN IP4 '.length).split('/')[0]?.trim() ?? ''
  const port = Number(media?.[1])
  const format = media?.[2]
    ?.split(' ')
    .map(Number)
    .find((one): one is Format => one === 8 || one === 0)
  if (!port || port > 65_535 || !isIPv4(address) || format === undefined) return undefined
  return { address, port, format }
}
