import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** What one run may use. */
export interface Limits {
  /** Memory that it may write to, in bytes: its heap, its threads' stacks and what it maps for itself. */
  memoryBytes: number
  /** Largest file it may write, in bytes. */
  fileBytes: number
  /** CPU seconds of all its threads. */
  cpuSeconds: number
  /** 0 to 19, higher is meeker. */
  nice: number
}

/** Puts the programs before a command that hold it to its limits. */
export type Isolate = (limits: Limits) => string[]

async function works(command: string, args: string[], path: string): Promise<boolean> {
  try {
    await execute(command, args, { env: { PATH: path }, timeout: 5_000 })
    return true
  } catch {
    return false
  }
}

/**
 * Finds which of the four walls this machine has: prlimit (resources), unshare (no network), setpriv (dies with the worker), nice.
 * `unshare -n` comes first: with `-r` root would lose its right to read files of other users.
 */
export async function detectIsolation(path: string): Promise<Isolate> {
  const [prlimit, network, user, death, nice] = await Promise.all([
    works('prlimit', ['--core=0', '--', 'true'], path),
    works('unshare', ['-n', '--', 'true'], path),
    works('unshare', ['-rn', '--', 'true'], path),
    works('setpriv', ['--pdeathsig', 'KILL', '--', 'true'], path),
    works('nice', ['-n', '1', 'true'], path),
  ])
  const unshare = network ? ['unshare', '-n', '--'] : user ? ['unshare', '-rn', '--'] : []
  return (limits) => [
    ...(prlimit ? ['prlimit', ...resources(limits), '--'] : []),
    ...unshare,
    // After unshare, which would clear it.
    ...(death ? ['setpriv', '--pdeathsig', 'KILL', '--'] : []),
    ...(nice && limits.nice > 0 ? ['nice', '-n', String(limits.nice)] : []),
  ]
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
