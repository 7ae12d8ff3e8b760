import type { AddressInfo, Socket } from 'node:net'
import type { SMTPServer } from 'smtp-server'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { bindPort, type RunningServer } from '../../http/server.ts'

/** Maximum duration of a connection in milliseconds. It limits clients that send one byte per minute. */
const longestMs = 10 * 60_000

const sweepMs = 5_000

interface SmtpParts {
  smtp: SMTPServer
  /** Number of messages that are being received. */
  taking(): number
  /** Called after the last connection is closed. */
  end(): Promise<void>
}

/** Runs an SMTP server. Throws an error with a clear message if the address cannot be bound. */
export async function runSmtp(
  { smtp, taking, end }: SmtpParts,
  { host, port, variable }: { host: string; port: number; variable: string },
): Promise<RunningServer> {
  smtp.on('error', (error) => log.debug({ err: describe(error) }, 'an SMTP connection failed'))
  const { server } = smtp
  const sockets = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, Date.now() + longestMs)
    socket.once('close', () => sockets.delete(socket))
  })
  // STARTTLS removes all listeners of a socket, so its end is not reported.
  const sweep = setInterval(() => {
    for (const [socket, until] of sockets) {
      if (!socket.destroyed && until < Date.now()) socket.destroy()
      if (socket.destroyed) sockets.delete(socket)
    }
  }, sweepMs).unref()
  await bindPort(server, host, port, variable)
  return {
    port: (server.address() as AddressInfo).port,
    answering: taking,
    // Nothing to do, because a client that receives 421 retries.
    drain: () => {},
    async close(graceMs) {
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      // Connections without a message in progress get 421 immediately. The others get 421 when the message or the grace
      // period ends.
      smtp.close(() => resolve())
      const cut = setTimeout(() => {
        for (const socket of sockets.keys()) socket.destroy()
      }, graceMs)
      await closed
      clearTimeout(cut)
      clearInterval(sweep)
      await end()
    },
  }
}
