import { Resolver } from 'node:dns'
import { z } from 'zod'

const port = z.coerce.number().int().min(0).max(65535)
const flag = z.enum(['true', 'false', '1', '0', '']).transform((v) => v === 'true' || v === '1')
const ms = z.coerce.number().int().min(0)
const days = z.coerce.number().int().min(1).max(3650)
const http = z.url({ protocol: /^https?$/, error: 'must be a URL: http://… or https://…' })
const postgres = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a URL: postgres://user:password@host:port/database',
})
const list = z.string().transform((v) =>
  v
    .split(',')
    .map((s) => s.trim())
    .filter(Boolean),
)
const resolvers = list.refine((servers) => {
  try {
    new Resolver().setServers(servers)
    return true
  } catch {
    return false
  }
}, 'must be addresses of DNS servers, each with :port if that is not 53')
/** `name=value,name=value`, the values encoded as in URLs. */
const pairs = z
  .string()
  .regex(/^\s*([^=,\s]+\s*=[^,]*(,\s*|$))*$/, 'must be name=value,…')
  .transform((v) =>
    Object.fromEntries(
      [...v.matchAll(/([^=,\s]+)\s*=([^,]*)/g)].map(([, name, value]) => [
        name,
        decodeURIComponent(value ?? '').trim(),
      ]),
    ),
  )

/** Every environment variable that is read, with its default; every default serves `npm start`. */
export const Environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('address the ingress and embedded parts listen on'),
  PORT: port.default(8080).describe('port of the ingress'),
  PUBLIC_URL: http.optional().describe('base URL clients use; default http://127.0.0.1:PORT'),
  TLS_PORT: port
    .optional()
    .describe('port of the ingress for customers’ own video domains, over TLS; unset, it is closed'),
  TLS_PUBLIC_PORT: port.optional().describe('port under which viewers reach it; default TLS_PORT, or else 443'),
  TRUSTED_PROXIES: list.default([]).describe('addresses or CIDR ranges whose X-Forwarded-* headers are believed'),
  MILLRACE_DATA: z.string().min(1).default('.data').describe('folder of embedded data, dev.json and scratch'),
  DATABASE_URL: postgres.optional().describe('Postgres 15+; default: the embedded one'),
  POSTGRES_BIN: z
    .string()
    .min(1)
    .optional()
    .describe(
      'folder of the Postgres programs that the embedded server is run with; default: those of its npm package',
    ),
  DATABASE_POOL: z.coerce.number().int().min(1).max(200).default(10).describe('connections per ingress process'),
  S3_ENDPOINT: http.optional().describe('S3 endpoint as workers and ingress reach it; default: the embedded store'),
  S3_PUBLIC_ENDPOINT: http.optional().describe('S3 endpoint as clients reach it; default S3_ENDPOINT'),
  S3_REGION: z.string().min(1).default('us-east-1').describe('S3 region'),
  S3_BUCKET: z.string().min(1).default('millrace').describe('S3 bucket'),
  S3_ACCESS_KEY: z.string().min(1).optional().describe('S3 access key'),
  S3_SECRET_KEY: z.string().min(1).optional().describe('S3 secret key'),
  SIGNING_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe('signs playback tokens and seals private keys; the same on every process'),
  ACME_DIRECTORY_URL: z
    .url({ protocol: /^https$/, error: 'must be a URL: https://…' })
    .optional()
    .describe('certificate authority for video domains (RFC 8555); unset, no certificates are ordered'),
  ACME_EMAIL: z.email().optional().describe('where the authority writes to when something is wrong'),
  ACME_TERMS_AGREED: flag.default(false).describe('you agree to the authority’s terms of service'),
  ACME_CA_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file of a root that the authority’s own server is trusted by'),
  ACME_EAB_KEY_ID: z
    .string()
    .min(1)
    .optional()
    .describe('account that the authority gave you (external account binding)'),
  ACME_EAB_HMAC_KEY: z.string().min(1).optional().describe('key of that account, in base64url'),
  DNS_RESOLVERS: resolvers
    .default([])
    .describe('DNS servers that prove domains, `address` or `address:port`; default: the system’s'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('log level'),
  PROCESS_NAME: z.string().default('millrace').describe('name of this process in log lines'),
  SHUTDOWN_GRACE_MS: ms.default(10_000).describe('time running requests and jobs get to finish after SIGTERM'),
  LEASE_MS: ms.min(500).default(10_000).describe('a worker silent for this long has lost its jobs'),
  SWEEP_MS: ms.min(50).default(1_000).describe('how often each worker looks for lost workers'),
  HOST_FAULT_MS: ms
    .default(24 * 60 * 60_000)
    .describe('a job is given up that no host could do for so long, as it lacked room or storage failed'),
  MEDIA_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(2).describe('media jobs at once in one worker'),
  MEDIA_NICE: z.coerce
    .number()
    .int()
    .min(0)
    .max(19)
    .default(10)
    .describe('how far ladder and captions stand back behind all else on the host; 0 is not at all'),
  SANDBOX: z
    .enum(['on', 'off'])
    .default('on')
    .describe('`off` has ffmpeg and unpackers run where the machine cannot take network and resources from them'),
  FFMPEG_PATH: z.string().min(1).default('ffmpeg').describe('ffmpeg program'),
  FFPROBE_PATH: z.string().min(1).default('ffprobe').describe('ffprobe program'),
  SPEECH_API_URL: http
    .optional()
    .describe('transcription service with the API of OpenAI, such as https://api.openai.com/v1; it makes the captions'),
  SPEECH_API_KEY: z.string().min(1).optional().describe('its key'),
  SPEECH_API_MODEL: z.string().min(1).default('whisper-1').describe('its model'),
  WHISPER_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('whisper.cpp program, `whisper-cli`; it makes the captions when no service is named'),
  WHISPER_MODEL: z.string().min(1).optional().describe('its model, a file'),
  POCKETSPHINX_PATH: z
    .string()
    .min(1)
    .default('pocketsphinx_continuous')
    .describe('program that makes the captions when there is nothing better'),
  SCAN_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(4).describe('malware scans at once in one worker'),
  SCAN_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 2)
    .default(2 ** 30)
    .describe('largest object that the files area takes; under 2 GiB, more than which ClamAV cannot scan'),
  CLAMD_PATH: z.string().min(1).default('/usr/sbin/clamd').describe('clamd program of the embedded malware scanner'),
  CLAMD_SOCKET: z.string().min(1).optional().describe('Unix socket of clamd; default: the embedded one'),
  CLAMD_HOST: z.string().min(1).optional().describe('host of a clamd that is reached over TCP, in place of a socket'),
  CLAMD_PORT: port.default(3310).describe('its port'),
  FRESHCLAM: flag
    .default(true)
    .describe(
      'fetch signatures for the embedded clamd; they take it 1.5 GB of memory, without them it knows tests only',
    ),
  CLAMAV_MIRROR: http.optional().describe('mirror of ClamAV’s signatures that is asked; default: ClamAV’s own servers'),
  CLAMAV_SIGNATURE_URLS: list
    .pipe(z.array(http))
    .default([])
    .describe('further signature files that are fetched for the embedded clamd: URLs, with commas between'),
  QUARANTINE_DAYS: z.coerce.number().int().min(0).max(3650).default(30).describe('days that infected bytes are kept'),
  FAILED_JOB_DAYS: days.default(30).describe('days that failed jobs stay in their queues, to be retried or discarded'),
  ABORTED_UPLOAD_DAYS: days
    .default(30)
    .describe('days that given-up video uploads and their assets are kept from when they would have expired'),
  ACTION_DAYS: days.default(400).describe('days that what operators did is on record'),
  SCAN_HISTORY_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(90)
    .describe('days that earlier scans of a file are kept; the one that its status stems from stays'),
  FILE_CHANGES_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(365)
    .describe('days that changes of files’ states are kept'),
  METRICS_PORT: port
    .default(0)
    .describe('port of this process for /metrics and /healthz, on HOST; 0 is off (`npm start` picks free ones)'),
  METRICS_TOKEN: z.string().min(16).optional().describe('scrapes must carry it as `Authorization: Bearer`'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe('OTLP/HTTP collector; unset, nothing is traced'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.optional().describe('headers for it: `name=value,…`'),
  OTEL_SERVICE_NAME: z.string().min(1).default('millrace').describe('service name in traces'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1).describe('share of new traces that are kept'),
  GEO_MMDB_PATH: z.string().min(1).optional().describe('MaxMind DB file that tells countries; default: packaged data'),
  TOUR: flag.default(true).describe('run the tour on a fresh data folder'),
})

/** The parsed environment. */
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

/** What is wrong with a value. A number or a word of a list is shown as it was given; all else may hold a secret. */
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
export const publicUrl = (): string => (config.PUBLIC_URL ?? `http://127.0.0.1:${config.PORT}`).replace(/\/+$/, '')

/** The environment a child process gets: this one's, with some variables replaced. */
export const childEnvironment = (changes: Record<string, string>): NodeJS.ProcessEnv => ({ ...process.env, ...changes })
