import { once } from 'node:events'
import { createServer, isIP, type Server, type Socket, connect as tcpConnect } from 'node:net'
import { connect as tlsConnect, createServer as tlsServer } from 'node:tls'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { Framer } from './framer.ts'
import type { Peer } from './peer.ts'

/** Timeouts in milliseconds: for establishing a connection, and for a complete message. */
const [connectMs, wholeMs] = [5_000, 32_000]

/**
 * Time without data in milliseconds after which an incoming connection is closed, and interval of Millrace's
 * keep-alives in milliseconds (RFC 5626 4.4.1).
 */
const [idleMs, keepAliveMs] = [15 * 60_000, 100_000]

const [mostAccepted, mostOfAddress] = [1_000, 50]

/** Maximum size in bytes of data that waits to be sent. A peer that does not read is disconnected. */
const mostUnsent = 1024 * 1024

export interface TlsKeys {
  cert?: string | undefined
  key?: string | undefined
  ca?: string | undefined
}

interface StreamListener {
  message(bytes: Buffer, from: Peer): void
}

/** SIP over TCP and TLS. Both sides use one connection per peer for all messages (RFC 3261 18, RFC 5923). */
export class Streams {
  readonly #open = new Map<string, Socket>()
  readonly #accepted = new Set<Socket>()
  readonly #servers: Server[] = []
  readonly #listener: StreamListener
  readonly #tls: TlsKeys
  #closed = false

  constructor(listener: StreamListener, tls: TlsKeys) {
    this.#listener = listener
    this.#tls = tls
  }

  /** Accepts connections on a port and returns the port. Rejects if the port is in use. */
  async listen(transport: 'TCP' | 'TLS', { host, port }: { host: string; port: number }): Promise<number> {
    const server =
      transport === 'TLS'
        ? tlsServer({ cert: this.#tls.cert, key: this.#tls.key, handshakeTimeout: connectMs })
        : createServer()
    server.on(transport === 'TLS' ? 'secureConnection' : 'connection', (socket: Socket) =>
      this.#accept(transport, socket),
    )
    server.on('tlsClientError', () => {})
    server.maxConnections = mostAccepted
    server.listen(port, host)
    await once(server, 'listening')
    server.on('error', (error) => log.warn({ err: describe(error) }, 'a SIP port failed'))
    this.#servers.push(server)
    const bound = server.address()
    return typeof bound === 'object' && bound ? bound.port : port
  }

  async send(bytes: Buffer, peer: Peer): Promise<boolean> {
    const socket = this.#open.get(keyOf(peer)) ?? this.#connect(peer)
    if (!socket) return false
    if (socket.writableLength > mostUnsent) {
      socket.destroy(new Error('the peer does not read'))
      return false
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    socket.write(bytes, (error) => resolve(!error))
    return await promise
  }

  #connect(peer: Peer): Socket | undefined {
    if (this.#closed) return undefined
    const { address: host, port, transport, name = host } = peer
    const socket =
      transport === 'TLS'
        ? tlsConnect({
            host,
            port,
            // An IP address is not a server name (RFC 6066 3). The certificate is still checked against the IP address.
            ...(isIP(name) ? {} : { servername: name }),
            ...(this.#tls.cert && { cert: this.#tls.cert, key: this.#tls.key }),
            ...(this.#tls.ca && { ca: this.#tls.ca }),
          })
        : tcpConnect({ host, port })
    const late = setTimeout(() => socket.destroy(new Error('the connection was not established in time')), connectMs)
    socket.once(transport === 'TLS' ? 'secureConnect' : 'connect', () => clearTimeout(late))
    socket.once('close', () => clearTimeout(late))
    const beat = setInterval(() => socket.write('\r\n\r\n'), keepAliveMs).unref()
    socket.once('close', () => clearInterval(beat))
    this.#attend(socket, peer)
    return socket
  }

  #accept(transport: 'TCP' | 'TLS', socket: Socket): void {
    const { remoteAddress: address, remotePort: port } = socket
    const ofAddress = [...this.#accepted].filter((one) => one.remoteAddress === address).length
    if (this.#closed || !address || !port || ofAddress >= mostOfAddress) {
      socket.destroy()
      return
    }
    this.#accepted.add(socket)
    socket.once('close', () => this.#accepted.delete(socket))
    socket.setTimeout(idleMs, () => socket.destroy())
    this.#attend(socket, { transport, address, port })
  }

  #attend(socket: Socket, peer: Peer): void {
    const key = keyOf(peer)
    const framer = new Framer()
    let slow: NodeJS.Timeout | undefined
    this.#open.set(key, socket)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const message of framer.push(chunk)) {
          if (message.length === 0) answerKeepAlive(socket)
          else this.#listener.message(message, peer)
        }
      } catch (error) {
        log.debug({ err: describe(error) }, 'a SIP connection was closed because of invalid data')
        socket.destroy()
      }
      clearTimeout(slow)
      slow = framer.partial ? setTimeout(() => socket.destroy(), wholeMs).unref() : undefined
    })
    socket.on('error', (error) => log.debug({ err: describe(error) }, 'a SIP connection failed'))
    socket.once('end', () => socket.end())
    socket.once('close', () => {
      clearTimeout(slow)
      if (this.#open.get(key) === socket) this.#open.delete(key)
    })
  }

  close(): void {
    this.#closed = true
    for (const server of this.#servers) server.close()
    for (const socket of new Set([...this.#open.values(), ...this.#accepted])) {
      socket.end()
      setTimeout(() => socket.destroy(), 1_000).unref()
    }
  }
}

function answerKeepAlive(socket: Socket): void {
  if (socket.writableLength > mostUnsent) socket.destroy(new Error('the peer does not read'))
  else socket.write('\r\n')
}

const keyOf = ({ transport, address, port }: Peer) => `${transport} ${address} ${port}`
