import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Scope } from './postgres.ts'

/** The IP address at which programs in such a network reach the allowed ports, in addition to their loopback. */
export const outside = '10.213.251.1'

const forwarder = fileURLToPath(new URL('./tcp-forwarder.ts', import.meta.url))

/** A separate network without links. Its only ways out are Unix sockets for TCP. */
const script = (folder: string, ports: readonly number[], program: string) => `#!/bin/sh
exec unshare -n -- sh -c '
  ip link set lo up && ip link add eth0 type veth peer name eth1
  ip addr add 10.213.251.2/24 dev eth0 && ip addr add ${outside}/24 dev eth1
  ip link set eth0 up && ip link set eth1 up && ip route add default via ${outside} dev eth0
  setpriv --pdeathsig=KILL -- ${process.execPath} ${forwarder} ${folder} ${ports.join(' ')} </dev/null >/dev/null 2>&1 &
  exec ${program} "$@"' sh "$@"
`

/** Reason why such a network is not possible here, or false. */
export function noTcpOnly(): string | false {
  try {
    execFileSync('unshare', ['-n', 'ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth1'])
    return false
  } catch (error) {
    return `no network namespaces here: ${(error as Error).message.split('\n')[0]}`
  }
}

/**
 * Returns a path that runs `program` in a network from which only these loopback ports of the machine can be reached,
 * only over TCP. Removed with the test.
 */
export async function tcpOnly(t: Scope, program: string, ports: readonly number[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-tcp-'))
  const servers = ports.map((port) =>
    createServer((inside) => {
      const real = connect(port, '127.0.0.1')
      pipeline(inside, real, () => {})
      pipeline(real, inside, () => {})
    }).listen(join(folder, String(port))),
  )
  await Promise.all(servers.map((server) => once(server, 'listening')))
  t.teardown(async () => {
    for (const server of servers) server.close()
    await rm(folder, { recursive: true, force: true })
  })
  const path = join(folder, 'run')
  await writeFile(path, script(folder, ports, program), { mode: 0o755 })
  return path
}
