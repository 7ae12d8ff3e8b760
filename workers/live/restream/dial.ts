import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type AddressGuard, OutboundError } from '#lib/network/address-guard.ts'
import { getTargetPort, toHttpUrl } from '#tasks/live/rules/restream-url.ts'
import { RestreamFault } from './fault.ts'

const tlsMs = 10_000

/** Connects to a target, with TLS for `rtmps`. Rejects addresses that the guard does not allow. */
export async function dial(target: URL, guard: AddressGuard): Promise<Socket> {
  const secure = target.protocol === 'rtmps:'
  const plain = toHttpUrl(target)
  const hostname = plain.hostname.replace('[', '').replace(']', '')
  const port = getTargetPort(target)
  const socket = await new Promise<Socket>((resolve, reject) => {
    try {
      guard.checkUrl(plain)
      guard.connector({ hostname, host: hostname, protocol: 'http:', port }, (...[error, connected]) => {
        if (error) reject(error)
        else resolve(connected)
      })
    } catch (error) {
      reject(error)
    }
  }).catch((error: Error) => {
    throw faultOf(error)
  })
  return secure ? await inTls(socket, hostname) : socket
}

function faultOf(error: Error): RestreamFault {
  if (!(error instanceof OutboundError)) {
    const isLate = 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT'
    return new RestreamFault(isLate ? 'timed_out' : 'connection_failed')
  }
  const isRefused = error.shown === 'address_refused' || error.shown === 'port_refused'
  return new RestreamFault(isRefused ? 'address_refused' : 'unresolved')
}

function inTls(socket: Socket, hostname: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (reason: 'tls_failed' | 'timed_out') => {
      secure.destroy()
      socket.destroy()
      reject(new RestreamFault(reason))
    }
    const timer = setTimeout(() => fail('timed_out'), tlsMs)
    const secure = connectTls({ socket, host: hostname, ...(isIP(hostname) ? {} : { servername: hostname }) }, () => {
      clearTimeout(timer)
      secure.off('error', failed)
      resolve(secure)
    })
    const failed = () => {
      clearTimeout(timer)
      fail('tls_failed')
    }
    secure.on('error', failed)
  })
}
