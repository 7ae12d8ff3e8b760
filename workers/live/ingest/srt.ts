import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { chownSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { log } from '#lib/log.ts'
import type { Seal } from '#lib/seal.ts'
import type { Channel } from '#sql/live/channels.ts'
import type { SrtPorts } from '#tasks/live/engine.ts'
import { canBeNobody, endProgram, nobody, startProgram } from '../../sandbox/supervised-program.ts'

export interface SrtOptions {
  srtPorts: SrtPorts
  /** Opens passphrases. */
  seal: Seal
  ffmpeg: string
  host: string
  /** A folder that their user can read. */
  folder: string
  /** Where what comes is published: nginx on this host. */
  rtmp: string
}

export interface SrtListeners {
  /** Listens for the channels that there are by now. */
  follow(): Promise<void>
  /** The channel whose listener publishes by this name. */
  channelOf(name: string): string | undefined
  /** Ends the publisher of a channel. */
  end(channelId: string): void
  close(): Promise<void>
}

/** Callers that are listened to at once before their handshake is done: each costs a process. */
const mostListeners = 64

/** Times that a port cannot be had, 2 s apart, before it is believed to be another program's. */
const takenAfter = 3

const millisecond = 1_000

/** Microseconds, as ffmpeg's options have them: a caller that does not finish its handshake, and one that falls silent. */
const [handshakeTime, silence, latency] = [5_000 * millisecond, 5_000 * millisecond, 200 * millisecond]

/**
 * Whether a datagram is the first of a caller: a control packet of type handshake, version 4, request 1 (induction;
 * draft-sharabayko-srt-01 §4.3.1.1).
 */
export function isInduction(datagram: Buffer): boolean {
  if (datagram.length < 64 || datagram.length > 1500) return false
  return datagram.readUInt32BE(0) === 0x80000000 && datagram.readUInt32BE(16) === 4 && datagram.readUInt32BE(36) === 1
}

/**
 * A list that the listener reads its address from. What comes from there is a transport stream: as a playlist, or as such a
 * list, it would have ffmpeg open files of this host (measured).
 */
const listOf = (url: string): string =>
  [
    'ffconcat version 1.0',
    `file ${url}`,
    'option protocol_whitelist srt,udp',
    'option format_whitelist mpegts',
    '',
  ].join('\n')

/** Listens for SRT on the ports of all channels. */
export function startSrt(options: SrtOptions): SrtListeners {
  const ports = new Map<string, Port>()
  let closing = false
  const hasRoom = () => busy(ports) < mostListeners
  return {
    async follow() {
      if (closing) return
      const channels = new Map((await options.srtPorts.list()).map((channel) => [channel.id, channel]))
      for (const [id, port] of ports) {
        const { srt_port, srt_passphrase } = channels.get(id) ?? {}
        if (port.number === srt_port && port.sealed === srt_passphrase) continue
        ports.delete(id)
        await port.close()
      }
      for (const [id, channel] of channels) {
        const passphrase = options.seal.open(channel.srt_passphrase, id)
        if (passphrase === null || closing || ports.has(id)) continue
        ports.set(id, new Port(channel, passphrase, options, hasRoom))
      }
    },
    channelOf: (name) => [...ports].find(([, port]) => port.name === name)?.[0],
    end: (channelId) => ports.get(channelId)?.end(),
    async close() {
      closing = true
      await Promise.all([...ports.values()].map((port) => port.close()))
    },
  }
}

const busy = (ports: ReadonlyMap<string, Port>): number => [...ports.values()].filter((port) => port.name).length

/**
 * A channel's port. Until somebody calls, a socket waits there in this process; the first datagram of a handshake, which
 * callers send again every 250 ms, has it make room for ffmpeg's listener: idle channels cost no process.
 */
class Port {
  readonly number: number
  readonly sealed: string
  /** By which the listener publishes while it runs. */
  name: string | undefined
  readonly #channelId: string
  readonly #passphrase: string
  readonly #options: SrtOptions
  readonly #hasRoom: () => boolean
  #failures = 0
  #socket: Socket | undefined
  #listener: ChildProcess | undefined
  #closed = false
  #timer: NodeJS.Timeout | undefined

  constructor(channel: Channel, passphrase: string, options: SrtOptions, hasRoom: () => boolean) {
    this.number = channel.srt_port as number
    this.sealed = channel.srt_passphrase
    this.#channelId = channel.id
    this.#passphrase = passphrase
    this.#options = options
    this.#hasRoom = hasRoom
    this.#wait()
  }

  end(): void {
    if (this.#listener) void endProgram(this.#listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
    if (this.#listener) await endProgram(this.#listener)
  }

  #wait(): void {
    if (this.#closed) return
    const { host, srtPorts } = this.#options
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    this.#socket = socket
    // Another worker of this host has the port, or the listener's socket is not gone yet; or another program has it.
    socket.on('error', () => {
      // Only a socket that is still ours is open: a second close throws.
      if (this.#socket !== socket) return
      this.#socket = undefined
      socket.close()
      this.#failures++
      if (this.#failures % takenAfter === 0) void srtPorts.move(this.#channelId, this.number).catch(quietly)
      this.#timer = setTimeout(() => this.#wait(), 2_000)
    })
    socket.on('message', (datagram) => {
      if (this.#socket !== socket || !isInduction(datagram) || !this.#hasRoom()) return
      this.#socket = undefined
      this.#failures = 0
      this.name = `srt-${randomBytes(18).toString('base64url')}`
      socket.close(() => this.#listen())
    })
    socket.bind({ port: this.number, address: host, exclusive: true })
  }

  #listen(): void {
    if (this.#closed) return
    const { ffmpeg, host, rtmp, folder } = this.#options
    const query = new URLSearchParams({
      mode: 'listener',
      passphrase: this.#passphrase,
      pbkeylen: '16',
      latency: String(latency),
      timeout: String(silence),
      listen_timeout: String(handshakeTime),
    })
    const address = host.includes(':') ? `[${host}]` : host
    // Every user of the host can read a command line, and the passphrase is in this address.
    const list = join(folder, `${this.number}.ffconcat`)
    writeFileSync(list, listOf(`srt://${address}:${this.number}?${query}`), { mode: 0o600 })
    if (canBeNobody) chownSync(list, nobody, nobody)
    const listener = startProgram(
      [
        ...['prlimit', `--as=${2 ** 30}`, '--nofile=64', '--core=0', '--', ffmpeg, '-nostdin', '-v', 'error'],
        ...['-protocol_whitelist', 'file', '-format_whitelist', 'concat', '-f', 'concat', '-safe', '0', '-i', list],
        ...['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy', '-f', 'flv', '-flvflags', 'no_duration_filesize'],
        `${rtmp}/${this.name}`,
      ],
      (line) => log.debug({ channel: this.#channelId, line: this.#masked(line) }, 'SRT'),
    )
    this.#listener = listener
    let over = false
    const end = () => {
      if (over) return
      over = true
      this.#listener = undefined
      this.name = undefined
      rmSync(list, { force: true })
      this.#wait()
    }
    listener.once('exit', end).once('error', end)
  }

  #masked(line: string): string {
    return line.replaceAll(this.#passphrase, '…').replaceAll(encodeURIComponent(this.#passphrase), '…')
  }
}

const quietly = (error: Error) => log.warn({ err: error }, 'an SRT port could not be moved')
