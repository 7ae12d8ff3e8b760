import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { getIdTime } from '#lib/ids.ts'

/** Period in milliseconds after acceptance in which `deferred` rejects a message, like greylisting. */
const deferredMs = 60_000

class ReplyError extends Error {
  override name = 'ReplyError'
  readonly responseCode: number

  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

export interface Simulator {
  /** Returns the port on loopback. Starts the server on first use. */
  port(): Promise<number>
  close(): Promise<void>
}

export function createSimulator(): Simulator {
  const server = new SMTPServer({
    name: 'simulator',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'],
    disableReverseLookup: true,
    // The simulator's replies contain their own enhanced codes.
    hideENHANCEDSTATUSCODES: true,
    hideDSN: false,
    closeTimeout: 1_000,
    logger: false,
    onRcptTo: ({ address }, session, done) => done(refusalOf(address.toLowerCase(), session)),
    onData(stream, _, done) {
      stream.on('error', () => {})
      stream.on('end', () => done(null, '2.0.0 Accepted by the simulated receiver'))
      stream.resume()
    },
  })
  let listening: Promise<number> | undefined
  return {
    port() {
      listening ??= listen(server)
      return listening
    },
    async close() {
      if (!listening) return
      await listening.catch(() => {})
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

async function listen(server: SMTPServer): Promise<number> {
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return (server.server.address() as AddressInfo).port
}

function refusalOf(address: string, { envelope }: SMTPServerSession): ReplyError | null {
  const [name = ''] = (address.split('@', 1)[0] ?? '').split('+', 1)
  if (name === 'delivered' || name === 'complained') return null
  // ENVID is the message ID (RFC 3461 §4.4), which contains the time of acceptance.
  const acceptedAt = getIdTime(envelope.dsn?.envid ?? '')
  if (name === 'deferred')
    return Date.now() - acceptedAt < deferredMs ? new ReplyError(451, '4.7.1 Greylisted, try again later') : null
  if (name === 'bounced') return new ReplyError(550, '5.1.1 No such user here')
  return new ReplyError(550, '5.1.1 No such user here: use delivered, bounced, complained or deferred')
}
