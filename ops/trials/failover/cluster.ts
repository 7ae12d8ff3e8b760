import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import { childEnvironment } from '#lib/config.ts'
import { ensureDatabase } from '../../embedded/database.ts'
import { launchCommand, serverAccount } from '../../embedded/postgres-account.ts'
import { preferPort } from '../../start/ports.ts'
import type { StageLocation } from '../chaos/ground.ts'
import type { Network } from '../fleet/hosts.ts'
import { haproxyFile } from './filled.ts'
import { Node } from './node.ts'
import { type PoolerOptions, pooledUrls, poolerPart } from './pgbouncer.ts'
import { findFullPostgres } from './programs.ts'

const Members = z.object({
  members: z.array(
    z.object({ name: z.string(), role: z.string(), state: z.string(), timeline: z.number().optional() }),
  ),
})
type Member = z.infer<typeof Members>['members'][number]

const runs = ({ state }: Member) => ['running', 'streaming'].includes(state)

export class Cluster {
  readonly nodes: readonly Node[]
  /** URL of the superuser through the HAProxy port for the primary. */
  readonly door: string
  /** URL of the superuser through the HAProxy port for the standbys. */
  readonly replicas: string

  private constructor(nodes: readonly Node[], door: string, replicas: string) {
    this.nodes = nodes
    this.door = door
    this.replicas = replicas
  }

  /** Starts everything on the hosts of a network. Resolves when there is a primary with two standbys. */
  static async start(
    site: StageLocation,
    { address, hosts }: Network,
  ): Promise<{ cluster: Cluster; sessions: string; transactions: string }> {
    const { folder, secrets, start } = site
    const programs = await findFullPostgres()
    const nodes = hosts.map((host, i) => new Node(`db${i + 1}`, host, join(folder, `db${i + 1}`)))
    await Promise.all(nodes.map((node) => node.startEtcd(start, nodes)))
    const passwords = { superuser: secrets.postgres_password, others: randomBytes(24).toString('hex') }
    await Promise.all(nodes.map((node) => node.startPatroni(start, nodes, programs, passwords)))
    const doors = {
      host: address,
      primary: await preferPort(address, undefined),
      replicas: await preferPort(address, undefined),
    }
    const dir = await ownFolder(folder, 'haproxy')
    const file = join(dir, 'haproxy.cfg')
    await writeFile(file, await haproxyFile(doors, nodes), { mode: 0o644 })
    const urlOf = (port: number) => `postgres://postgres:${secrets.postgres_password}@${address}:${port}/postgres`
    const cluster = new Cluster(nodes, urlOf(doors.primary), urlOf(doors.replicas))
    await cluster.whole()
    await start({
      name: 'haproxy',
      command: () => launchCommand('/usr/sbin/haproxy', ['-db', '-f', file], dir, 'KILL'),
      ready: { check: async () => Boolean(await ensureDatabase(cluster.door, 'millrace', secrets.database_password)) },
      stopSignal: 'SIGKILL',
      grace: 5_000,
      quiet: true,
    })
    const pooler: PoolerOptions = {
      dir: await ownFolder(folder, 'pgbouncer'),
      host: address,
      port: await preferPort(address, undefined),
      primary: { host: address, port: doors.primary },
      password: secrets.database_password,
      adminPassword: secrets.postgres_password,
    }
    await start(await poolerPart(pooler))
    return { cluster, ...pooledUrls(pooler) }
  }

  async members(): Promise<Member[]> {
    for (const { address } of this.nodes) {
      const asked = fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(1_000) })
      const told = await asked.then((answer) => answer.json()).catch(() => undefined)
      const read = Members.safeParse(told)
      if (read.success) return read.data.members
    }
    return []
  }

  async primary(): Promise<Node> {
    for (;;) {
      const name = (await this.members()).find(({ role }) => role === 'leader')?.name
      const node = this.nodes.find((one) => one.name === name)
      if (node) return node
      await pause(100)
    }
  }

  /** Resolves when there is a primary with two standbys on its timeline, and one of the standbys is synchronous. */
  async whole(patience = 90_000): Promise<void> {
    const end = performance.now() + patience
    for (;;) {
      const members = await this.members()
      const leader = members.find(({ role }) => role === 'leader')
      const follow = members.filter((member) => runs(member) && member.timeline === leader?.timeline)
      if (leader && follow.length === this.nodes.length && members.some(({ role }) => role === 'sync_standby')) return
      if (performance.now() > end) throw new Error(`The cluster is incomplete: ${JSON.stringify(members)}`)
      await pause(200)
    }
  }

  async etcdLeader(): Promise<Node> {
    for (;;) {
      const told = await Promise.all(this.nodes.map(({ address }) => statusOfEtcd(address)))
      const leader = told.find((status) => status !== undefined)?.leader
      const node = this.nodes[told.findIndex((status) => status?.header.member_id === leader)]
      if (leader !== undefined && node) return node
      await pause(100)
    }
  }

  async switchover(): Promise<void> {
    const node = this.nodes[0] as Node
    const env = childEnvironment({ ...node.environment, LC_ALL: 'C.UTF-8' })
    await promisify(execFile)('patronictl', ['-c', node.file, 'switchover', 'millrace', '--force'], {
      env,
      timeout: 60_000,
    })
  }
}

const EtcdStatus = z.object({ leader: z.string(), header: z.object({ member_id: z.string() }) })

async function statusOfEtcd(address: string) {
  const init = { method: 'POST', body: '{}', signal: AbortSignal.timeout(1_000) }
  const asked = fetch(`http://${address}:2379/v3/maintenance/status`, init)
  return EtcdStatus.safeParse(await asked.then((answer) => answer.json()).catch(() => undefined)).data
}

async function ownFolder(folder: string, name: string): Promise<string> {
  const dir = join(folder, name)
  await mkdir(dir)
  const account = await serverAccount(dir)
  if (account) await chown(dir, account.uid, account.gid)
  return dir
}
