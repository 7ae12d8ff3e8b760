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
import { jobs } from './config/jobs.ts'
import { live } from './config/live.ts'
import { media } from './config/media.ts'
import { notify } from './config/notify.ts'
import { outbound } from './config/outbound.ts'
import { processes } from './config/process.ts'
import { push } from './config/push.ts'
import { rooms } from './config/rooms.ts'
import { scan } from './config/scan.ts'
import { storage } from './config/storage.ts'
import { telemetry } from './config/telemetry.ts'
import { video } from './config/video.ts'
import { voice } from './config/voice.ts'
import { web } from './config/web.ts'
import { webhooks } from './config/webhooks.ts'
import { whatsapp } from './config/whatsapp.ts'
import { wiki } from './config/wiki.ts'

/** What each area, pool and part declares, in the order in which it is listed; to add one takes its file and a line here. */
export const sections = {
  Ingress: ingress,
  Cells: cells,
  Processes: processes,
  Database: database,
  Storage: storage,
  Jobs: jobs,
  Organisations: account,
  'Requests to others': outbound,
  Video: video,
  'Pools media-intake and media': media,
  'Live broadcasts': live,
  'Rooms and pool rooms': rooms,
  Files: files,
  'Pool scan': scan,
  Email: email,
  Webhooks: webhooks,
  Notify: notify,
  Push: push,
  Geo: geo,
  Guard: guard,
  'AI and pool llm': ai,
  Bots: bots,
  'Pool web': web,
  WhatsApp: whatsapp,
  Wiki: wiki,
  Identity: identity,
  Voice: voice,
  Telemetry: telemetry,
}

type Sections = typeof sections
type AllOf<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void ? All : never

const variables: AllOf<Sections[keyof Sections]> = Object.assign({}, ...Object.values(sections))

/** Every environment variable that is read, with its default; every default serves `npm start`. */
export const Environment = z.object(variables)

export type Config = Readonly<z.infer<typeof Environment>>

/** Parses an environment; throws one error that names every variable at fault. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = Environment.safeParse(env)
  if (parsed.success) return Object.freeze(parsed.data)
  const faults = parsed.error.issues.map((issue) => {
    const name = issue.path.join('.')
    return `  ${name}: ${faultOf(issue, env[name])}`
  })
  throw new Error(`The configuration has faults:\n${faults.join('\n')}`)
}

/** What is wrong with a value. A number or a word of a list is shown as it was given; all else may be a secret. */
function faultOf(issue: z.core.$ZodIssue, given: string | undefined): string {
  const isNumber = issue.code === 'invalid_type' && ['number', 'int'].includes(issue.expected)
  const isLimit = 'origin' in issue && ['number', 'int'].includes(String(issue.origin))
  const message = isNumber ? `must be a ${issue.expected === 'int' ? 'whole ' : ''}number` : issue.message
  return isNumber || isLimit || issue.code === 'invalid_value' ? `${message}, not ${JSON.stringify(given)}` : message
}

/** The value of a variable that this process cannot do without; throws a sentence that names it. */
export function required<K extends keyof Config>(name: K): NonNullable<Config[K]> {
  const value = config[name]
  if (value === undefined || value === null) throw new Error(`${name} must be set for this process.`)
  return value as NonNullable<Config[K]>
}

/** This process's configuration; with a fault in it the process ends, and says each in a line. */
export const config: Config = ownConfig()

function ownConfig(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
}

/** Whether the environment sets a variable, rather than its default holding. */
export const isSet = (name: string): boolean => process.env[name] !== undefined

/** The base URL under which clients reach the ingress. */
export const publicUrl = (): string =>
  (config.PUBLIC_URL ?? `http://127.0.0.1:${config.PORT}`).replace(/(?<!\/)\/+$/, '')

/** The base URL of the dashboard as it is configured; undefined where neither APP_URL nor PUBLIC_URL says it. */
export const configuredAppUrl = (): string | undefined =>
  config.APP_URL === undefined && config.PUBLIC_URL === undefined ? undefined : appUrl()

/** The base URL of the dashboard's host, `/app` being a path on it. */
export const appUrl = (): string => config.APP_URL?.replace(/(?<!\/)\/+$/, '') ?? publicUrl()

/**
 * Threads of libuv in each process, for name look-ups, files, zlib, scrypt and keys; it reads the variable as it starts, so that
 * it must be there before. Half of them, but no more, may wait for names that nobody answers: of four only two, which hold up
 * every other look-up, of the database and the storage, too. With many more, computing would take the processors from the loop.
 */
export const poolThreads = { UV_THREADPOOL_SIZE: '16' } as const

/** The environment a child process gets: this one's, with some variables replaced. */
export const childEnvironment = (changes: Record<string, string>): NodeJS.ProcessEnv => ({
  ...poolThreads,
  ...process.env,
  ...changes,
})
