import { execFile } from 'node:child_process'
import { statfs } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { config, isSet } from '#lib/config.ts'
import { TranscriptionError } from '#tasks/video/rules/captions/speech.ts'
import { configuredSpeech } from '../../../workers/media/speech/index.ts'
import { findIsolationFault } from '../../../workers/sandbox/isolation.ts'
import { usualPath } from '../../../workers/sandbox/programs.ts'
import { dataFolder, readStackFacts } from '../session.ts'
import { checkBackup } from './backup.ts'
import { checkCells } from './cells.ts'
import { checkDashboard } from './dashboard.ts'
import { type Check, type Finding, fault, well } from './finding.ts'
import { mailChecks } from './mail.ts'
import { providerChecks } from './providers.ts'
import { checkScanner, checkUnpackers } from './scanner.ts'
import { checkCopies, checkStorage } from './storage.ts'

export function hostChecks(): Check[] {
  return [
    {
      name: 'storage',
      todo: 'check S3_ENDPOINT, its keys and S3_BUCKET, and that the store is running',
      look: checkStorage,
    },
    { name: 'copies', todo: 'fix the `storage` check first', look: checkCopies },
    {
      name: 'backup',
      todo: 'check BACKUP_STANZA and BACKUP_CONFIG, and that this user can read it',
      look: checkBackup,
    },
    { name: 'ingress', todo: 'start it, or set PUBLIC_URL', look: ingress },
    { name: 'cells', todo: 'see ops/deploy/CELLS.md, Set up cells', look: checkCells },
    { name: 'dashboard', todo: 'see ops/OPERATE.md, Set up the dashboard', look: checkDashboard },
    { name: 'ports', todo: 'see the logs of that part', look: ports },
    { name: 'ffmpeg', todo: 'install ffmpeg, or set FFMPEG_PATH', look: () => engine('ffmpeg', config.FFMPEG_PATH) },
    {
      name: 'ffprobe',
      todo: 'install ffmpeg, or set FFPROBE_PATH',
      look: () => engine('ffprobe', config.FFPROBE_PATH),
    },
    { name: 'sandbox', todo: 'see ops/deploy/README.md', look: sandbox },
    {
      name: 'captions',
      todo: 'install pocketsphinx and pocketsphinx-en-us, or configure another engine (ingress/video/README.md)',
      look: captions,
    },
    { name: 'clamd', todo: 'install clamav-daemon, or set CLAMD_SOCKET or CLAMD_HOST', look: checkScanner },
    { name: 'unpackers', todo: 'install libarchive-tools, xz-utils and bzip2', look: checkUnpackers },
    ...mailChecks(),
    ...providerChecks(),
    { name: 'node', todo: 'run `npm ci`', look: async () => well('node', `${process.version} at ${process.execPath}`) },
    { name: 'disk', todo: 'free disk space, or move MILLRACE_DATA', look: disk },
  ]
}

async function ingress(): Promise<Finding> {
  const base = isSet('PUBLIC_URL')
    ? config.PUBLIC_URL
    : ((await readStackFacts()).base_url ?? `http://127.0.0.1:${config.PORT}`)
  const answer = await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(4_000) }).catch((error: Error) => {
    throw new Error(`${base} is not responding: ${(error.cause as Error | undefined)?.message ?? error.message}`)
  })
  const found = `${base}/readyz returns ${answer.status}`
  return answer.ok ? well('ingress', found) : fault('ingress', found, `check its response: curl ${base}/readyz`)
}

/** UDP ports, which accept no connections. The port of a channel is open only when the channel exists. */
const overUdp = new Set(['live_srt', 'sip', 'telephones'])

async function ports(): Promise<Finding> {
  const known = Object.entries((await readStackFacts()).ports ?? {}).filter(([name]) => !overUdp.has(name))
  if (known.length === 0) return well('ports', 'no development stack has been started here')
  const closed = (
    await Promise.all(known.map(async ([name, port]) => ((await answers(port)) ? [] : [`${name} ${port}`])))
  ).flat()
  const open = known.map(([name, port]) => `${name} ${port}`).join(', ')
  return closed.length === 0
    ? well('ports', `${open} respond`)
    : fault('ports', `nothing is listening on ${closed.join(', ')}`, 'start the stack: `npm start`')
}

async function answers(port: number): Promise<boolean> {
  const { promise, resolve: settle } = Promise.withResolvers<boolean>()
  const socket = connect({ host: '127.0.0.1', port, timeout: 2_000 })
  socket
    .on('connect', () => settle(true))
    .on('error', () => settle(false))
    .on('timeout', () => settle(false))
  const open = await promise
  socket.destroy()
  return open
}

async function engine(name: string, path: string): Promise<Finding> {
  const { stdout } = await promisify(execFile)(path, ['-version'], { timeout: 4_000 }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new Error(
        error.code === 'ENOENT' ? `the program ${path} is not installed` : `${path} cannot be run: ${error.message}`,
      )
    },
  )
  const version = /version (\S+)/.exec(stdout)?.[1] ?? 'unknown'
  const major = Number(/^n?(\d+)\./.exec(version)?.[1] ?? 99)
  return major >= 5
    ? well(name, `version ${version}`)
    : fault(name, `version ${version}`, 'version 5 or newer is required')
}

/** Checks whether ffmpeg and unpackers run without network and with resource limits. */
async function sandbox(): Promise<Finding> {
  if (config.SANDBOX === 'off') return well('sandbox', 'not required: SANDBOX=off')
  const why = await findIsolationFault(usualPath)
  if (why)
    return fault(
      'sandbox',
      why,
      'allow workers to create network namespaces (ops/deploy/README.md), or set SANDBOX=off',
    )
  return well('sandbox', 'engines run without network and with limits')
}

/** Checks the speech engine of this host. Media workers on this host use it to generate captions. */
async function captions(): Promise<Finding> {
  const speech = configuredSpeech(0)
  await speech.check().catch((error: unknown) => {
    throw error instanceof TranscriptionError ? new Error(error.evidence) : error
  })
  return well('captions', `generated by ${speech.name}`)
}

/** Checks the scratch folder, which must have space for sources and packages in progress. */
async function disk(): Promise<Finding> {
  let folder = dataFolder()
  let stats = await statfs(folder).catch(() => null)
  while (!stats) {
    folder = dirname(folder)
    stats = await statfs(folder).catch(() => null)
  }
  const free = (stats.bavail * stats.bsize) / 2 ** 30
  const part = stats.bavail / stats.blocks
  const found = `${free.toFixed(1)} GiB (${Math.round(part * 100)} %) free at ${folder}`
  return free > 2 && part > 0.03 ? well('disk', found) : fault('disk', found, 'free disk space, or move MILLRACE_DATA')
}
