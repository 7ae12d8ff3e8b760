import { randomUUID } from 'node:crypto'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { preferPort } from '../../start/ports.ts'
import { killWithParent, type Part } from '../../start/supervise.ts'
import { Actor } from '../chaos/actor.ts'
import { type CephLocation, gatewayName, monitorAddress, writeConfiguration } from './configuration.ts'
import { createTemporaryFolder } from './folder.ts'
import { cephProgramsFor, type RunCephProgram } from './programs.ts'

export interface Keys {
  accessKey: string
  secretKey: string
}

export interface CephCluster {
  endpoint: string
  gateway: Actor
  osds: Actor[]
  run: RunCephProgram
  awaitUp(osds: number): Promise<void>
}

const host = '127.0.0.1'
const numbers = [0, 1, 2]

/** Starts a cluster in a separate folder. The cluster ends with `ends`, or at the latest with this process. */
export async function startCephCluster(keys: Keys, ends: AsyncDisposableStack): Promise<CephCluster> {
  const folder = await createTemporaryFolder(ends)
  const port = async () => await preferPort(host, undefined)
  const ports = { monitor: await port(), old: await port(), gateway: await port() }
  const place: CephLocation = { folder, fsid: randomUUID(), host, ports }
  const run = cephProgramsFor(await writeConfiguration(place))
  const start = async (part: Part) => {
    const actor = new Actor(part, join(folder, `${part.name}.out`))
    ends.defer(() => actor.stop())
    await actor.ready
    return actor
  }
  await mkdir(join(folder, 'run'))
  await makeMonitor(place, run)
  await start(daemon(place, 'mon.a', 'ceph-mon', ['-i', 'a']))
  const osds = await Promise.all(
    numbers.map(async (number) => {
      await makeOsd(place, run, number)
      const where = `--crush-location=root=default host=host-${number}`
      return await start(daemon(place, `osd.${number}`, 'ceph-osd', ['-i', String(number), where]))
    }),
  )
  const awaitUp = async (osds: number) =>
    await until(async () => JSON.parse(await run('ceph', 'osd', 'stat', '-f', 'json')).num_up_osds === osds)
  await awaitUp(osds.length)
  const endpoint = `http://${host}:${ports.gateway}`
  await run(
    'ceph',
    'auth',
    'get-or-create',
    gatewayName,
    'mon',
    'allow rw',
    'osd',
    'allow rwx',
    '-o',
    keyring(place, gatewayName),
  )
  const gateway = await start({
    ...daemon(place, gatewayName, 'radosgw', ['-n', gatewayName]),
    ready: { check: async () => (await fetch(endpoint)).ok },
  })
  const { accessKey, secretKey } = keys
  const names = ['--uid=millrace', '--display-name=Millrace']
  await run('radosgw-admin', 'user', 'create', ...names, `--access-key=${accessKey}`, `--secret-key=${secretKey}`)
  return { endpoint, gateway, osds, run, awaitUp }
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const keyring = ({ folder }: CephLocation, name: string) => join(folder, `${name}.keyring`)

const daemon = ({ folder }: CephLocation, name: string, program: string, args: string[]): Part => ({
  name,
  command: () => killWithParent(join('/usr/bin', program), '-c', join(folder, 'ceph.conf'), ...args, '-f'),
  ready: { check: async () => await isThere(join(folder, 'run', `${name}.asok`)) },
  // The data of the cluster is not needed afterwards.
  stopSignal: 'SIGKILL',
  grace: 5_000,
  quiet: true,
})

async function makeMonitor(place: CephLocation, run: RunCephProgram): Promise<void> {
  const [own, admin, map] = [keyring(place, 'mon.'), keyring(place, 'client.admin'), join(place.folder, 'monmap')]
  const all = ['mon', 'osd', 'mgr', 'mds'].flatMap((kind) => ['--cap', kind, 'allow *'])
  await run('ceph-authtool', '--create-keyring', own, '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *')
  await run('ceph-authtool', '--create-keyring', admin, '--gen-key', '-n', 'client.admin', ...all)
  await run('ceph-authtool', own, '--import-keyring', admin)
  await run('monmaptool', '--create', '--addv', 'a', monitorAddress(place), '--fsid', place.fsid, map)
  await mkdir(join(place.folder, 'mon'))
  await run('ceph-mon', '-i', 'a', '--mkfs', '--monmap', map, '--keyring', own)
}

async function makeOsd(place: CephLocation, run: RunCephProgram, number: number): Promise<void> {
  const [id, file] = [randomUUID(), join(place.folder, `osd-${number}.json`)]
  const secret = (await run('ceph-authtool', '--gen-print-key')).trim()
  await writeFile(file, JSON.stringify({ cephx_secret: secret }), { mode: 0o600 })
  await run('ceph', 'osd', 'new', id, String(number), '-i', file)
  await run(
    'ceph-authtool',
    '--create-keyring',
    keyring(place, `osd.${number}`),
    '--name',
    `osd.${number}`,
    '--add-key',
    secret,
  )
  await mkdir(join(place.folder, `osd-${number}`))
  await run('ceph-osd', '-i', String(number), '--mkfs', '--osd-uuid', id)
}

async function until(check: () => Promise<boolean>, timeout = 60_000): Promise<void> {
  for (const end = Date.now() + timeout; !(await check()); await pause(200))
    if (Date.now() > end) throw new Error(`Ceph did not reach the expected state within ${timeout / 1000} s.`)
}
