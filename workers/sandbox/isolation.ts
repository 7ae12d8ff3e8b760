import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import { EngineTrouble } from '#lib/engine-trouble.ts'

const execute = promisify(execFile)

/** What one run may use. */
export interface Limits {
  /** Memory that it may write to, in bytes: its heap, its threads' stacks and what it maps for itself. */
  memoryBytes: number
  /** Largest file it may write, in bytes. */
  fileBytes: number
  /** CPU seconds of all its threads. */
  cpuSeconds: number
  /** 0 to 19, a higher value yields to others. */
  nice: number
}

/** The prefix of a command that sets its limits. */
export type Isolate = (limits: Limits) => string[]

interface Isolation {
  isolate: Isolate
  /** Why a limit that untrusted files need cannot be set here, one reason each. */
  lacks: string[]
}

const found = new Map<string, Promise<Isolation>>()

/** The isolation that this machine has, with the programs on `path`; detected again as long as something is missing. */
function isolationOf(path: string): Promise<Isolation> {
  const looked = found.get(path) ?? detect(path)
  found.set(path, looked)
  looked.then(({ lacks }) => {
    if (lacks.length > 0) found.delete(path)
  })
  return looked
}

/** Why this machine cannot isolate programs that open untrusted files; undefined when it can, or with SANDBOX=off. */
export async function missingWalls(path: string): Promise<string | undefined> {
  if (config.SANDBOX === 'off') return undefined
  const { lacks } = await isolationOf(path)
  if (lacks.length === 0) return undefined
  return `programs that process untrusted files cannot be isolated: ${lacks.join('; ')}. See ops/deploy/README.md, or run without isolation with SANDBOX=off`
}

/** How programs are isolated; throws where they cannot be, unless SANDBOX=off. */
export async function mustIsolate(path: string): Promise<Isolate> {
  const why = await missingWalls(path)
  if (why) throw new EngineTrouble('missing', why)
  return (await isolationOf(path)).isolate
}

/** Why a command fails; undefined when it runs. */
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
 * Finds which of the four this machine has: prlimit (resources), unshare (no network), setpriv (dies with the worker), nice.
 * `unshare -n` comes first: with `-r` root would lose its right to read files of other users.
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
    // After unshare, which would clear it.
    ...(noDeath ? [] : ['setpriv', '--pdeathsig', 'KILL', '--']),
    ...(!noNice && limits.nice > 0 ? ['nice', '-n', String(limits.nice)] : []),
  ]
  return { isolate, lacks: [noPrlimit, noUnshare].filter((why) => why !== undefined) }
}

const stackBytes = 2 * 2 ** 20

/** Address space besides: programs, libraries, files that are mapped, and what malloc sets apart and does not use. */
const addressBytes = (memoryBytes: number) => 2 * memoryBytes + 2 ** 30

function resources({ memoryBytes, fileBytes, cpuSeconds }: Limits): string[] {
  // Each thread's stack counts: a hundred of the usual 8 MiB would fill the memory with nothing.
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
