import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Command } from '../../embedded/postgres-account.ts'
import { killWithParent, type Part } from '../../start/supervise.ts'

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const common = { stopSignal: 'SIGTERM', grace: 15_000, quiet: true } as const

export const ingressPart = (env: Record<string, string>, stranger: string): Part => ({
  ...common,
  name: 'ingress',
  command: () => killWithParent(process.execPath, program('./serve.ts'), stranger),
  env,
  ready: { check: async () => (await fetch(`${env.PUBLIC_URL}/readyz`)).ok },
})

/** Returns a worker of all pools with a separate scratch folder. With `smallDisk`, the folder is on a separate disk. */
export function workerPart(env: Record<string, string>, number: number, smallDisk: boolean): Part {
  const data = join(env.MILLRACE_DATA ?? '', `worker-${number}`)
  const worker = killWithParent(process.execPath, program('./worker.ts'))
  return {
    ...common,
    name: `worker-${number}`,
    command: () => (smallDisk ? onSmallDisk(join(data, 'scratch'), worker) : worker),
    env: { ...env, MILLRACE_DATA: data },
    ready: { line: 'workers ready' },
  }
}

const diskSize = '64m'

// The disk is in a mount namespace of the worker, so others cannot see it, and it disappears with the process. A user
// who is not root can mount it in a user namespace.
const mounting = 'mkdir -p "$1" && mount -t tmpfs -o "size=$2" tmpfs "$1" && shift 2 && exec "$@"'

const rights = process.getuid?.() === 0 ? [] : ['--map-root-user']

const onSmallDisk = (folder: string, { file, args }: Command): Command => ({
  file: 'unshare',
  args: [...rights, '--mount', '--', 'sh', '-c', mounting, 'sh', folder, diskSize, file, ...args],
})

/** True if this process may create such disks. */
export async function canMount(): Promise<boolean> {
  const { file, args } = onSmallDisk('/tmp', { file: 'true', args: [] })
  return await promisify(execFile)(file, args).then(
    () => true,
    () => false,
  )
}

export const scratchPath = (data: string, name: string, pid: number): string =>
  join(`/proc/${pid}/root`, data, name, 'scratch')
