import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import { TransientEngineError } from '#lib/engine-trouble.ts'

const execute = promisify(execFile)

export interface Limits {
  /** Maximum writable memory in bytes: heap, stacks and private mappings. */
  memoryBytes: number
  fileBytes: number
  /** Maximum CPU time of all threads in seconds. */
  cpuSeconds: number
  /** Nice value from 0 to 19. A higher value gives other processes priority. */
  nice: number
}

export type Isolate = (limits: Limits) => string[]

interface Isolation {
  isolate: Isolate
  /** Reasons why limits that are needed for untrusted files are missing on this machine. */
  lacks: string[]
}

const found = new Map<string, Promise<Isolation>>()

/** Detection is repeated as long as a limit is missing. */
function isolationOf(path: string): Promise<Isolation> {
  const looked = found.get(path) ?? detect(path)
  found.set(path, looked)
  looked.then(({ lacks }) => {
    if (lacks.length > 0) found.delete(path)
  })
  return looked
}

/**
 * Returns the reason why this machine cannot isolate programs for untrusted files. Returns undefined if it can, or with
 * SANDBOX=off.
 */
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

/** Returns the reason why a command fails, or undefined if it runs. */
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
 * Detects prlimit (resources), unshare (no network), setpriv (exits with the worker) and nice. `unshare -n` is tried
 * first, because with `-r` root would lose access to files of other users.
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
    // setpriv comes after unshare, which would reset it.
    ...(noDeath ? [] : ['setpriv', '--pdeathsig', 'KILL', '--']),
    ...(!noNice && limits.nice > 0 ? ['nice', '-n', String(limits.nice)] : []),
  ]
  return { isolate, lacks: [noPrlimit, noUnshare].filter((why) => why !== undefined) }
}

const stackBytes = 2 * 2 ** 20

/** Address space in addition: programs, libraries, mapped files, and unused reservations of malloc. */
const addressBytes = (memoryBytes: number) => 2 * memoryBytes + 2 ** 30

function resources({ memoryBytes, fileBytes, cpuSeconds }: Limits): string[] {
  // The stacks of all threads count. A hundred stacks of the usual 8 MiB would exceed the limit.
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
