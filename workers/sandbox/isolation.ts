import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import { TransientEngineError } from '#lib/engine-trouble.ts'

const execute = promisify(execFile)

export interface Limits {
  /** Writable memory in bytes: heap, stacks and private mappings. */
  memoryBytes: number
  fileBytes: number
  /** CPU seconds of all threads. */
  cpuSeconds: number
  /** 0 to 19. A higher value yields to others. */
  nice: number
}

export type Isolate = (limits: Limits) => string[]

interface Isolation {
  isolate: Isolate
  /** Reasons why limits that untrusted files need are missing here. */
  lacks: string[]
}

const found = new Map<string, Promise<Isolation>>()

/** Detected again as long as something is missing. */
function isolationOf(path: string): Promise<Isolation> {
  const looked = found.get(path) ?? detect(path)
  found.set(path, looked)
  looked.then(({ lacks }) => {
    if (lacks.length > 0) found.delete(path)
  })
  return looked
}

/** Returns why this machine cannot isolate programs for untrusted files; undefined if it can, or with SANDBOX=off. */
export async function findIsolationFault(path: string): Promise<string | undefined> {
  if (config.SANDBOX === 'off') return undefined
  const { lacks } = await isolationOf(path)
  if (lacks.length === 0) return undefined
  return `programs that process untrusted files cannot be isolated: ${lacks.join('; ')}. See ops/deploy/README.md, or run without isolation with SANDBOX=off`
}

/** Throws if programs cannot be isolated, unless SANDBOX=off. */
export async function requireIsolation(path: string): Promise<Isolate> {
  const why = await findIsolationFault(path)
  if (why) throw new TransientEngineError('missing', why)
  return (await isolationOf(path)).isolate
}

/** Returns why a command fails; undefined if it runs. */
async function refusal(command: string, args: string[], path: string): Promise<string | undefined> {
  try {
    await execute(command, args, { env: { PATH: path, LC_ALL: 'C' }, timeout: 30_000 })
    return undefined
  } catch (error) {
    const { code, stderr, message } = error as Error & { code?: unknown; stderr?: string }
    return code === 'ENOENT' ? `${command} is missing` : stderr?.trim() || message
  }
}

/**
 * Detects prlimit (resources), unshare (no network), setpriv (dies with the worker) and nice. `unshare -n` is tried
 * first: with `-r` root would lose access to files of other users.
 */
async function detect(path: string): Promise<Isolation> {
  const [noPrlimit, noNetwork, noUser, noDeath, noNice] = await Promise.all([
    refusal('prlimit', ['--core=0', '--', 'true'], path),
    refusal('unshare', ['-n', '--', 'true'], path),
    refusal('unshare', ['-rn', '--', 'true'], path),
    refusal('setpriv', ['--pdeathsig', 'KILL', '--', 'true'], path),
    refusal('nice', ['-n', '1', 'true'], path),
  ])
  const unshare = noNetwork === undefined ? ['-n'] : ['-rn']
  const noUnshare = noNetwork && noUser && `${noNetwork} (-n), ${noUser} (-rn)`
  const isolate: Isolate = (limits) => [
    ...(noPrlimit ? [] : ['prlimit', ...resources(limits), '--']),
    ...(noUnshare ? [] : ['unshare', ...unshare, '--']),
    // After unshare, which would reset it.
    ...(noDeath ? [] : ['setpriv', '--pdeathsig', 'KILL', '--']),
    ...(!noNice && limits.nice > 0 ? ['nice', '-n', String(limits.nice)] : []),
  ]
  return { isolate, lacks: [noPrlimit, noUnshare].filter((why) => why !== undefined) }
}

const stackBytes = 2 * 2 ** 20

/** Address space in addition: programs, libraries, mapped files, and unused reservations of malloc. */
const addressBytes = (memoryBytes: number) => 2 * memoryBytes + 2 ** 30

function resources({ memoryBytes, fileBytes, cpuSeconds }: Limits): string[] {
  // Stacks of all threads count: a hundred of the usual 8 MiB would exceed the limit.
  const whole = {
    data: memoryBytes,
    as: addressBytes(memoryBytes),
    stack: stackBytes,
    fsize: fileBytes,
    cpu: cpuSeconds,
    nofile: 256,
    core: 0,
  }
  return Object.entries(whole).map(([name, value]) => `--${name}=${Math.ceil(value)}`)
}
