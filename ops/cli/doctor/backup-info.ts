import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { config } from '#lib/config.ts'

/** Timeout in milliseconds for pgBackRest, which waits up to a minute for an unavailable repository. */
const patience = 4_500

const Backup = z.object({
  label: z.string(),
  type: z.enum(['full', 'diff', 'incr']),
  error: z.boolean().nullish(),
  timestamp: z.object({ stop: z.number() }),
})

const Stanza = z.object({
  name: z.string(),
  status: z.object({
    code: z.number(),
    message: z.string(),
    lock: z.object({ backup: z.object({ held: z.boolean() }).optional() }).optional(),
  }),
  backup: z.array(Backup),
  archive: z.array(z.object({ max: z.string().nullish() })).default([]),
  repo: z.array(z.object({ key: z.number(), status: z.object({ code: z.number(), message: z.string() }) })).default([]),
})

export type Stanza = z.infer<typeof Stanza>

let asked: Promise<Stanza> | undefined

/** Runs pgBackRest once per process for the configured stanza. Throws an error with a message if pgBackRest fails. */
export function readBackupInfo(stanza: string): Promise<Stanza> {
  asked ??= runPgbackrestInfo(stanza, config.BACKUP_CONFIG)
  return asked
}

export async function runPgbackrestInfo(
  stanza: string,
  folder: string | undefined,
  program = 'pgbackrest',
): Promise<Stanza> {
  if (folder && !existsSync(folder)) throw new Error(`BACKUP_CONFIG names ${folder}, which does not exist`)
  const where = folder ? [`--config-path=${folder}`] : []
  // pgBackRest writes no log files, because its log files belong to the account of the server.
  const quiet = ['--log-level-file=off', '--log-level-console=off', '--log-level-stderr=error']
  const text = await output(program, ['info', '--output=json', `--stanza=${stanza}`, ...where, ...quiet])
  const found = z.array(Stanza).safeParse(read(text))
  if (!found.success) throw new Error('the output of pgbackrest info has an unknown format; use version 2.38 or newer')
  const mine = found.data.find(({ name }) => name === stanza)
  if (!mine) throw new Error(`pgbackrest has no stanza ${stanza}`)
  return mine
}

function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`pgbackrest info did not return JSON: "${text.trim().slice(0, 80)}"`)
  }
}

/** Returns the standard output of a program. Kills the program if it takes too long. */
function output(program: string, args: string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const limits = { timeout: patience, killSignal: 'SIGKILL', maxBuffer: 2 ** 24 } as const
  execFile(program, args, limits, (error, stdout, stderr) => {
    if (!error) return resolve(stdout)
    if (error.code === 'ENOENT') return reject(new Error(`the program ${program} is not installed on this host`))
    if (error.killed && error.code !== 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
      return reject(new Error(`pgbackrest info did not respond within ${patience / 1000} s`))
    reject(new Error(`pgbackrest info failed: ${stderr.trim().slice(0, 400) || error.message}`))
  })
  return promise
}
