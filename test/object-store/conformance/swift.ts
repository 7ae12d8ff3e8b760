import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { Test } from 'tap'
import { killWithParent } from '../../../ops/start/supervise.ts'
import { freePort } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { type Peer, peerOf } from './peer.ts'

const servers = ['account', 'container', 'object'] as const
const programs = ['memcached', ...[...servers, 'proxy'].map((name) => `swift-${name}-server`)]

/** Creates the rings of one device. Exits with 3 if the disk cannot store an object’s metadata. */
const ringMaker = `
import os, sys
from swift.common.ring import RingBuilder
folder, *ports = sys.argv[1:]
try:
    os.setxattr(folder + '/devices/d1', 'user.probe', b'1')
except OSError:
    sys.exit(3)
for name, port in zip(('account', 'container', 'object'), map(int, ports)):
    builder = RingBuilder(4, 1, 1)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'd1', 'weight': 1})
    builder.rebalance()
    builder.get_ring().save(folder + '/' + name + '.ring.gz')
`

/**
 * Starts OpenStack Swift with its S3 interface, one process of each kind on free ports, until the test ends. Returns
 * undefined with a test comment if Debian’s packages are not installed or the disk has no extended attributes.
 */
export async function startSwift(t: Test, folder: string): Promise<Peer | undefined> {
  const paths = programs.map((program) => `/usr/bin/${program}`)
  if (!(await Promise.all(paths.map(isThere))).every(Boolean)) {
    t.comment('Swift is not installed (swift-proxy swift-account swift-container swift-object memcached): not asked')
    return undefined
  }
  const ports = await freePorts(servers.length + 2)
  const [proxy = 0, memcached = 0, ...inner] = ports
  await mkdir(join(folder, 'devices/d1'), { recursive: true })
  const made = await run('/usr/bin/python3', '-c', ringMaker, folder, ...inner.map(String)).catch((error) => error)
  if (made.code === 3) {
    t.comment(`Swift is not asked: ${folder} keeps no extended attributes`)
    return undefined
  }
  if (made instanceof Error) throw made
  await configure(folder, { proxy, memcached, inner })
  start(t, '/usr/bin/memcached', '-l', '127.0.0.1', '-p', String(memcached), '-u', userInfo().username)
  for (const name of [...servers, 'proxy']) start(t, `/usr/bin/swift-${name}-server`, join(folder, `${name}.conf`))
  const peer = { region: 'us-east-1', bucket: 'millrace', accessKey: 'test:tester', secretKey: 'testing' }
  const endpoint = `http://127.0.0.1:${proxy}`
  await makeBucket({ ...peer, endpoint })
  return peerOf('Swift', { ...peer, endpoint })
}

const run = (program: string, ...args: string[]) => promisify(execFile)(program, args)

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

async function configure(folder: string, ports: { proxy: number; memcached: number; inner: number[] }): Promise<void> {
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  const common = (port: number) =>
    `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\nuser = ${userInfo().username}\nswift_dir = ${folder}\nlog_level = CRITICAL\n`
  await write('swift.conf', '[swift-hash]\nswift_hash_path_suffix = of the tests\n')
  for (const [at, name] of servers.entries()) {
    const disk = `devices = ${folder}/devices\nmount_check = false\ndisable_fallocate = true\n`
    const app = `[pipeline:main]\npipeline = ${name}-server\n[app:${name}-server]\nuse = egg:swift#${name}\n`
    await write(`${name}.conf`, `${common(ports.inner[at] ?? 0)}${disk}${app}`)
  }
  const filters = {
    catch_errors: '',
    gatekeeper: '',
    cache: `memcache_servers = 127.0.0.1:${ports.memcached}`,
    listing_formats: '',
    bulk: '',
    s3api: 's3_acl = no\nlocation = us-east-1',
    tempauth: 'user_test_tester = testing .admin',
    copy: '',
    slo: '',
    dlo: '',
    versioned_writes: 'allow_versioned_writes = true\nallow_object_versioning = false',
  }
  const uses: Record<string, string> = { cache: 'memcache' }
  const sections = Object.entries(filters).map(
    ([name, lines]) => `[filter:${name}]\nuse = egg:swift#${uses[name] ?? name}\n${lines}\n`,
  )
  const pipeline = `[pipeline:main]\npipeline = ${Object.keys(filters).join(' ')} proxy-server\n`
  const app = '[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n'
  await write('proxy.conf', `${common(ports.proxy)}${pipeline}${app}${sections.join('')}`)
}

function start(t: Test, program: string, ...args: string[]): void {
  const command = killWithParent(program, ...args)
  const child = spawn(command.file, command.args, { stdio: 'ignore' })
  const exit = once(child, 'exit')
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exit
  })
}

async function makeBucket({ endpoint, region, bucket, ...keys }: Peer['access']): Promise<void> {
  const credentials = { accessKeyId: keys.accessKey, secretAccessKey: keys.secretKey }
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials, maxAttempts: 1 })
  const make = async () => !!(await client.send(new CreateBucketCommand({ Bucket: bucket })))
  await until(make, { timeout: 90_000, every: 100, what: 'Swift makes a bucket' })
  client.destroy()
}
