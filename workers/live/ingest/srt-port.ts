import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { chownSync, rm, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { Seal } from '#lib/seal.ts'
import type { Channel } from '#sql/live/channels.ts'
import type { SrtPorts } from '#tasks/live/engine.ts'
import { canBeNobody, endProgram, nobody, startProgram } from '../../sandbox/supervised-program.ts'
import type { Handshakes } from './handshakes.ts'

export interface SrtOptions {
  srtPorts: SrtPorts
  seal: Seal
  ffmpeg: string
  host: string
  folder: string
  rtmp: string
  handshakes: number
}

/** Number of failed attempts, 2 s apart, after which a port counts as used by another program. */
const takenAfter = 3

const againMs = 2_000

const millisecond = 1_000

/**
 * Timeouts in microseconds of a handshake and of a silent caller, and the latency in microseconds, as in the options of
 * ffmpeg.
 */
const [handshakeTime, silence, latency] = [5_000 * millisecond, 5_000 * millisecond, 200 * millisecond]

/**
 * True if a datagram is the first one of a caller: a control packet of type handshake, version 4, request 1 (induction;
 * draft-sharabayko-srt-01 §4.3.1.1).
 */
function isInduction(datagram: Buffer): boolean {
  if (datagram.length < 64 || datagram.length > 1500) return false
  return datagram.readUInt32BE(0) === 0x80000000 && datagram.readUInt32BE(16) === 4 && datagram.readUInt32BE(36) === 1
}

/**
 * Returns a list from which the listener reads its URL. The input is limited to a transport stream. A playlist or
 * another such list could make ffmpeg open files of this host (measured).
 */
const listOf = (url: string): string =>
  [
    'ffconcat version 1.0',
    `file ${url}`,
    'option protocol_whitelist srt,udp',
    'option format_whitelist mpegts',
    '',
  ].join('\n')

/**
 * The port of a channel. Until a caller arrives, a socket of this process waits on the port, so that idle channels need
 * no process. The first datagram of a handshake closes the socket, and ffmpeg listens instead. Callers repeat the
 * datagram every 250 ms.
 */
export class SrtPort {
  readonly number: number
  readonly sealed: string
  name: string | undefined
  readonly #channelId: string
  readonly #passphrase: string
  readonly #options: SrtOptions
  readonly #handshakes: Handshakes
  #failures = 0
  #socket: Socket | undefined
  #listener: ChildProcess | undefined
  #closed = false
  #timer: NodeJS.Timeout | undefined

  constructor(channel: Channel, passphrase: string, options: SrtOptions, handshakes: Handshakes) {
    this.number = channel.srt_port as number
    this.sealed = channel.srt_passphrase
    this.#channelId = channel.id
    this.#passphrase = passphrase
    this.#options = options
    this.#handshakes = handshakes
    this.#wait()
  }

  end(): void {
    if (this.#listener) void endProgram(this.#listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#handshakes.over(this)
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
    // Another worker of this host has the port, the listener's socket is not closed yet, or another program uses the
    // port.
    socket.on('error', () => {
      // Only the current socket is open. Closing it twice would throw.
      if (this.#socket !== socket) return
      this.#socket = undefined
      socket.close()
      this.#failures++
      if (this.#failures % takenAfter === 0) void srtPorts.move(this.#channelId, this.number).catch(quietly)
      this.#timer = setTimeout(() => this.#wait(), againMs)
    })
    socket.on('message', (datagram, { address }) => {
      if (this.#socket !== socket || !isInduction(datagram) || !this.#handshakes.begin(this, address)) return
      this.#socket = undefined
      this.#failures = 0
      this.name = `srt-${randomBytes(18).toString('base64url')}`
      socket.close(() => this.#listen())
    })
    socket.bind({ port: this.number, address: host, exclusive: true })
  }

  #listen(): void {
    if (this.#closed) return
    const list = join(this.#options.folder, `${this.number}.ffconcat`)
    let over = false
    const end = (error?: unknown) => {
      if (over) return
      over = true
      this.#listener = undefined
      this.name = undefined
      this.#handshakes.over(this)
      rm(list, { force: true }, () => {})
      if (error === undefined) return this.#wait()
      log.error(
        { channel: this.#channelId, port: this.number, err: describe(error) },
        'the SRT listener could not be started',
      )
      if (!this.#closed) this.#timer = setTimeout(() => this.#wait(), againMs)
    }
    // A socket event calls this function, so an exception would end the process.
    try {
      this.#listener = this.#start(list)
      this.#listener.once('exit', () => end()).once('error', end)
    } catch (error) {
      end(error)
    }
  }

  /**
   * Starts a listener. The listener reads its URL from `list`, because the URL contains the passphrase and every user
   * of the host can read command lines.
   */
  #start(list: string): ChildProcess {
    const { ffmpeg, host, rtmp } = this.#options
    const query = new URLSearchParams({
      mode: 'listener',
      passphrase: this.#passphrase,
      pbkeylen: '16',
      latency: String(latency),
      timeout: String(silence),
      listen_timeout: String(handshakeTime),
    })
    const address = host.includes(':') ? `[${host}]` : host
    writeFileSync(list, listOf(`srt://${address}:${this.number}?${query}`), { mode: 0o600 })
    if (canBeNobody) chownSync(list, nobody, nobody)
    return startProgram(
      [
        ...['prlimit', `--as=${2 ** 30}`, '--nofile=64', '--core=0', '--', ffmpeg, '-nostdin', '-v', 'error'],
        ...['-protocol_whitelist', 'file', '-format_whitelist', 'concat', '-f', 'concat', '-safe', '0', '-i', list],
        ...['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy', '-f', 'flv', '-flvflags', 'no_duration_filesize'],
        `${rtmp}/${this.name}`,
      ],
      (line) => log.debug({ channel: this.#channelId, line: this.#masked(line) }, 'SRT'),
    )
  }

  #masked(line: string): string {
    return line.replaceAll(this.#passphrase, '…').replaceAll(encodeURIComponent(this.#passphrase), '…')
  }
}

const quietly = (error: Error) => log.warn({ err: error }, 'an SRT port could not be moved')
