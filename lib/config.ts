import { z } from 'zod'
import { account } from './config/account.ts'
import { ai } from './config/ai.ts'
import { bots } from './config/bots.ts'
import { cells } from './config/cells.ts'
import { database } from './config/database.ts'
import { email } from './config/email.ts'
import { files } from './config/files.ts'
import { geo } from './config/geo.ts'
import { guard } from './config/guard.ts'
import { identity } from './config/identity.ts'
import { ingress } from './config/ingress.ts'
import { intake } from './config/intake.ts'
import { jobs } from './config/jobs.ts'
import { live } from './config/live.ts'
import { logStreams } from './config/log-streams.ts'
import { media } from './config/media.ts'
import { moving } from './config/moving.ts'
import { notify } from './config/notify.ts'
import { outbound } from './config/outbound.ts'
import { processes } from './config/process.ts'
import { push } from './config/push.ts'
import { rooms } from './config/rooms.ts'
import { scan } from './config/scan.ts'
import { sms } from './config/sms.ts'
import { storage } from './config/storage.ts'
import { telemetry } from './config/telemetry.ts'
import { video } from './config/video.ts'
import { voice } from './config/voice.ts'
import { web } from './config/web.ts'
import { webhooks } from './config/webhooks.ts'
import { whatsapp } from './config/whatsapp.ts'
import { wiki } from './config/wiki.ts'
import { work } from './config/work.ts'

export const sections = {
  Ingress: ingress,
  Cells: cells,
  Processes: processes,
  Database: database,
  Storage: storage,
  Jobs: jobs,
  Organisations: account,
  'Outbound requests': outbound,
  Video: video,
  'Pools media-intake and media': media,
  'Live broadcasts': live,
  'Rooms and pool rooms': rooms,
  Files: files,
  'Pool scan': scan,
  Email: email,
  Webhooks: webhooks,
  'Log streams and pool streams': logStreams,
  'Received webhooks': intake,
  'Jobs by HTTP and pool calls': work,
  Notify: notify,
  Push: push,
  Geo: geo,
  Guard: guard,
  'AI and pool llm': ai,
  Bots: bots,
  'Pool web': web,
  'Imports from other providers': moving,
  WhatsApp: whatsapp,
  SMS: sms,
  Wiki: wiki,
  Identity: identity,
  Voice: voice,
  Telemetry: telemetry,
}

type Sections = typeof sections
type AllOf<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void ? All : never

const variables: AllOf<Sections[keyof Sections]> = Object.assign({}, ...Object.values(sections))

export const Environment = z.object(variables)

export type Config = Readonly<z.infer<typeof Environment>>

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = Environment.safeParse(env)
  if (parsed.success) return Object.freeze(parsed.data)
  const faults = parsed.error.issues.map((issue) => {
    const name = issue.path.join('.')
    return `  ${name}: ${faultOf(issue, env[name])}`
  })
  throw new Error(`The configuration has errors:\n${faults.join('\n')}`)
}

function faultOf(issue: z.core.$ZodIssue, given: string | undefined): string {
  const isNumber = issue.code === 'invalid_type' && ['number', 'int'].includes(issue.expected)
  const isLimit = 'origin' in issue && ['number', 'int'].includes(String(issue.origin))
  const message = isNumber ? `must be a ${issue.expected === 'int' ? 'whole ' : ''}number` : issue.message
  return isNumber || isLimit || issue.code === 'invalid_value' ? `${message}, not ${JSON.stringify(given)}` : message
}

/**
 * Returns the value of a variable that this process requires. Throws an error that names the variable if it is not set.
 */
export function requireVariable<K extends keyof Config>(name: K): NonNullable<Config[K]> {
  const value = config[name]
  if (value === undefined || value === null) throw new Error(`${name} must be set for this process.`)
  return value as NonNullable<Config[K]>
}

export const config: Config = ownConfig()

function ownConfig(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
}

export const isSet = (name: string): boolean => process.env[name] !== undefined

export const publicUrl = (): string =>
  (config.PUBLIC_URL ?? `http://127.0.0.1:${config.PORT}`).replace(/(?<!\/)\/+$/, '')

export const configuredAppUrl = (): string | undefined =>
  config.APP_URL === undefined && config.PUBLIC_URL === undefined ? undefined : appUrl()

/** Returns the base URL of the dashboard’s host. `/app` is a path on this host. */
export const appUrl = (): string => config.APP_URL?.replace(/(?<!\/)\/+$/, '') ?? publicUrl()

/**
 * Number of libuv threads of each process, for DNS lookups, files, zlib, scrypt and keys. Libuv reads
 * this variable at start, so the variable must be set before the process starts.
 * Pending DNS lookups can use up to half of the threads. With 4 threads, 2 slow lookups would block all other lookups,
 * including lookups for the database. With many more threads, computation would take CPU time from the event loop.
 */
export const poolThreads = { UV_THREADPOOL_SIZE: '16' } as const

export const childEnvironment = (changes: Record<string, string>): NodeJS.ProcessEnv => ({
  ...poolThreads,
  ...process.env,
  ...changes,
})
