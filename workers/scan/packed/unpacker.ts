import { open } from 'node:fs/promises'
import { requireIsolation } from '../../sandbox/isolation.ts'
import type { Exit } from '../../sandbox/process-group.ts'
import { streamOutput } from '../../sandbox/program-output.ts'
import { isInstalled } from '../../sandbox/programs.ts'
import type { Inspection } from '../inspection.ts'
import { encrypted, unreadable } from '../refusal.ts'

export interface Unpacker {
  program: keyof typeof packageOf
  args: string[]
  /** Matches messages, with a failing exit code, for entries that contain nothing to unpack. */
  harmless?: RegExp
}

export const packageOf = {
  bsdtar: 'libarchive-tools',
  xz: 'xz-utils',
  bzip2: 'bzip2',
  '7zz': '7zip',
  lz4: 'lz4',
  lzop: 'lzop',
  qpdf: 'qpdf',
}

export async function missingUnpackers(): Promise<Unpacker['program'][]> {
  const programs = Object.keys(packageOf) as Unpacker['program'][]
  const there = await Promise.all(programs.map((program) => isInstalled(program)))
  return programs.filter((_, index) => !there[index])
}

/**
 * Maximum memory in bytes and CPU time in seconds. Dictionaries of the strongest common settings need 200 MB. Larger
 * dictionaries are rejected.
 */
const memoryBytes = 512 * 2 ** 20
const cpuSeconds = 600
/** Timeout in milliseconds. The program waits for the engine, which can be slow. */
const timeout = 3_600_000
const mostLines = 20
const delayed = 'bsdtar: Error exit delayed from previous errors.'

/**
 * Yields the output of a program for a file. The program sees only the bytes of the file. Throws unless the program
 * exits normally without messages.
 */
export async function* unpackWith(
  { program, args, harmless }: Unpacker,
  inspection: Inspection,
  path: string,
): AsyncGenerator<Buffer> {
  const { searchPath, signal } = inspection
  if (!(await isInstalled(program, searchPath)))
    throw unreadable(
      'unsupported_archive',
      `The file cannot be unpacked: ${program} (package ${packageOf[program]}) is not installed.`,
    )
  const isolate = await requireIsolation(searchPath)
  await using file = await open(path)
  const began = performance.now()
  const said: string[] = []
  let isForgiven = false
  const hear = (line: string) => {
    const isHarmless = harmless?.test(line) ?? false
    isForgiven ||= isHarmless
    if (!isHarmless && !(isForgiven && line === delayed) && said.length < mostLines) said.push(line.slice(0, 500))
  }
  const exit = yield* streamOutput({
    command: [...isolate({ memoryBytes, fileBytes: 0, cpuSeconds, nice: 0 }), program, ...args],
    path: searchPath,
    signal,
    timeout,
    called: program,
    // 7-Zip's names are UTF-16, which the locale `C` cannot express.
    locale: 'C.UTF-8',
    input: file.fd,
    onLine: (_, line) => hear(line),
  })
  const isOverTime = performance.now() - began > cpuSeconds * 900
  const isWell = exit.code === 0 || (exit.code === 1 && isForgiven)
  if (!isWell || said.length > 0) throw faultOf(program, exit, said.join('\n'), isOverTime)
}

const tooLarge = /allocate (?:required )?memory|out of memory|memory usage limit|no memory/i
const locked = /encrypt|passphrase|password/i
const unsupported = /unsupported|not supported|(?:unknown|unexpected) codec|(?:un|not )recognized/i

/** Returns a refusal if the file is the cause, or another error if a retry may succeed. */
function faultOf(program: string, { code, signal }: Exit, said: string, isOverTime: boolean): Error {
  const killed = signal ?? (code === 137 ? 'SIGKILL' : code === 143 ? 'SIGTERM' : null)
  if (killed === 'SIGXCPU' || (killed === 'SIGKILL' && isOverTime))
    return unreadable('too_large', `The file needs more than ${cpuSeconds} s to unpack.`)
  if (killed === 'SIGKILL' || killed === 'SIGTERM') return new Error(`${program} was killed by ${killed}.`)
  if (code === 126 || code === 127) return new Error(`${program} could not be started: ${said}`)
  if (tooLarge.test(said)) return unreadable('too_large', 'The file needs more memory to unpack than allowed.')
  if (locked.test(said)) return encrypted()
  if (unsupported.test(said))
    return unreadable('unsupported_method', 'The file is packed with a method that is not supported.')
  return unreadable('malformed_archive', 'The archive is damaged or truncated.')
}
