import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, launchCommand, serverAccount } from './postgres-account.ts'

export interface CoturnOptions {
  program: string
  dir: string
  /** IP address for clients, for UDP and TCP. Undefined for all addresses of the machine. */
  host: string | undefined
  port: number
  secret: string
  /** IP addresses for relays. Default: the addresses for clients. */
  addresses: readonly string[]
  /**
   * The only IP addresses with which relays exchange media: the addresses of the rooms’ media. Default: the relay
   * addresses.
   */
  peers?: readonly string[]
}

export async function prepareCoturn(options: CoturnOptions): Promise<Command> {
  const { program, dir } = options
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const account = await serverAccount(dir, ['turnserver', 'nobody'])
  const file = join(resolve(dir), 'turnserver.conf')
  await writeFile(file, settings(options), { mode: 0o600 })
  if (account) for (const path of [dir, file]) await chown(path, account.uid, account.gid)
  return await launchCommand(program, ['-c', file], dir, 'KILL')
}

/** Settings of turnserver(1): expiring credentials, no administration, and no other peers. */
function settings({ dir, host, port, secret, addresses, peers = addresses }: CoturnOptions): string {
  const lines = [
    ...(host ? [`listening-ip=${host}`] : []),
    `listening-port=${port}`,
    ...addresses.map((address) => `relay-ip=${address}`),
    ...['use-auth-secret', `static-auth-secret=${secret}`, 'realm=millrace', 'fingerprint', 'stale-nonce=600'],
    ...['denied-peer-ip=0.0.0.0-255.255.255.255', 'denied-peer-ip=::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ...peers.map((address) => `allowed-peer-ip=${address}`),
    ...['no-tcp-relay', 'no-multicast-peers', 'user-quota=16', 'total-quota=1200'],
    ...['no-tls', 'no-dtls', 'no-cli', 'no-rfc5780', 'no-software-attribute', 'log-file=stdout', 'simple-log'],
    ...[`pidfile=${join(resolve(dir), 'pid')}`, `userdb=${join(resolve(dir), 'users')}`],
  ]
  return `${lines.join('\n')}\n`
}

const timeoutMs = 1_000

/** True if a STUN server responds to a binding request over UDP (RFC 8489). */
export async function answersStun(host: string, port: number): Promise<boolean> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const head = Buffer.from('000100002112a442', 'hex')
  const transaction = randomBytes(12)
  try {
    const answer = once(socket, 'message', { signal: AbortSignal.timeout(timeoutMs) })
    socket.send(Buffer.concat([head, transaction]), port, host)
    const [message] = (await answer) as [Buffer]
    return message.readUInt16BE(0) === 0x0101 && message.subarray(8, 20).equals(transaction)
  } catch {
    return false
  } finally {
    socket.close()
  }
}
