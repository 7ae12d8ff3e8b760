import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { type AddressRules, guardAddresses, OutboundError } from '#lib/network/address-guard.ts'

interface Server {
  host: string
  port: number
  /** Certificates that the server’s certificate must come from, in PEM format. Null for the public ones. */
  ca: string | null
}

/** Connects to a server with TLS. Rejects addresses that the rules do not allow, and certificates that are not valid. */
export async function dialTls(
  { host, port, ca }: Server,
  rules: AddressRules,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const socket = await dial({ host, port }, rules)
  const secure = connect({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== null && { ca }),
    minVersion: 'TLSv1.2',
  })
  // A later error ends the connection. The event `close` follows.
  secure.on('error', () => {})
  try {
    await once(secure, 'secureConnect', { signal })
    return secure
  } catch (error) {
    secure.destroy()
    socket.destroy()
    if (signal.aborted) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new OutboundError('connection_failed', `The TLS connection failed: ${code ?? message}.`, error)
  }
}

async function dial({ host, port }: Omit<Server, 'ca'>, rules: AddressRules): Promise<Socket> {
  const guard = guardAddresses(rules)
  guard.checkUrl(new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`))
  return await new Promise<Socket>((resolve, reject) => {
    guard.connector({ hostname: host, host, protocol: 'http:', port: String(port) }, (...[error, socket]) => {
      if (error) reject(error)
      else resolve(socket)
    })
  })
}
