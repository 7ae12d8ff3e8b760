import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createDns } from '#lib/network/dns.ts'
import { freePort, type Scope } from './postgres.ts'
import { until } from './until.ts'

/** Zones by name: records in zone-file format with relative names, without SOA and NS. */
export type Zones = Record<string, string>

export interface Nsd {
  dns: string
  address: string
  port: number
  /** Adds or replaces zones, and waits until the server returns them. */
  serve(zones: Zones): Promise<void>
}

/** Contains `serial.<zone>` TXT, which shows that a zone’s new version is served. */
const zoneFile = (zone: string, address: string, serial: number, records: string) => `$ORIGIN ${zone}.
$TTL 1
@ IN SOA ns.${zone}. hostmaster.${zone}. ${serial} 60 60 60 1
@ IN NS ns.${zone}.
ns IN A ${address}
serial IN TXT "${serial}"
${records}
`

export async function startNsd(t: Scope, zones: Zones, address = '127.0.0.1'): Promise<Nsd> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-nsd-'))
  const port = await freePort()
  const control = join(folder, 'control.sock')
  const config = join(folder, 'nsd.conf')
  const served: Zones = {}
  let serial = 0

  async function write(added: Zones): Promise<void> {
    serial++
    Object.assign(served, added)
    for (const [zone, records] of Object.entries(added)) {
      await writeFile(join(folder, `${zone}.zone`), zoneFile(zone, address, serial, records))
    }
    const zoneClauses = Object.keys(served).map((zone) => `zone:\n  name: "${zone}"\n  zonefile: "${zone}.zone"`)
    const server = [
      `server:\n  ip-address: ${address}@${port}\n  username: ""\n  chroot: ""\n  zonesdir: "${folder}"`,
      `  pidfile: "${folder}/nsd.pid"\n  database: ""\n  xfrdfile: "${folder}/xfrd.state"\n  zonelistfile: "${folder}/zone.list"`,
      `  xfrdir: "${folder}"\n  cookie-secret-file: "${folder}/cookies"\n  server-count: 1\n  refuse-any: no\n  rrl-ratelimit: 0`,
      `remote-control:\n  control-enable: yes\n  control-interface: "${control}"`,
    ]
    await writeFile(config, [...server, ...zoneClauses, ''].join('\n'))
  }

  const isServed = async () => {
    const resolver = createDns([`${address}:${port}`])
    const answers = await Promise.all(Object.keys(served).map((zone) => resolver.texts(`serial.${zone}`)))
    return answers.every(([text]) => text !== undefined)
  }

  await write(zones)
  const nsd = spawn('/usr/sbin/nsd', ['-d', '-c', config], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(nsd, 'exit')
  let said = ''
  for (const stream of [nsd.stdout, nsd.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  t.teardown(async () => {
    nsd.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  await until(isServed, { what: 'NSD answers' }).catch((error) => {
    throw new Error(`NSD does not answer: ${said}`, { cause: error })
  })
  return {
    dns: `${address}:${port}`,
    address,
    port,
    async serve(added) {
      await write(added)
      const run = promisify(execFile)
      const before = await serversOf(nsd.pid as number)
      await run('/usr/sbin/nsd-control', ['-c', config, 'reconfig'])
      await run('/usr/sbin/nsd-control', ['-c', config, 'reload'])
      const resolver = createDns([`${address}:${port}`])
      const wanted = String(serial)
      const isNew = async (zone: string) => (await resolver.texts(`serial.${zone}`)).includes(wanted)
      await until(async () => (await Promise.all(Object.keys(added).map(isNew))).every(Boolean), {
        what: 'NSD serves the new zones',
      })
      await until(async () => (await serversOf(nsd.pid as number)).every((pid) => !before.includes(pid)), {
        what: 'the processes with the earlier zones end',
      })
    },
  }
}

/** Returns the processes that answer queries. After a reload, those with the earlier zones answer until they end. */
async function serversOf(pid: number): Promise<number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''))
    .split(' ')
    .filter(Boolean)
  const found = await Promise.all(
    children.map(async (child) => {
      const name = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')
      return [...(name.startsWith('nsd: server') ? [Number(child)] : []), ...(await serversOf(Number(child)))]
    }),
  )
  return found.flat()
}
