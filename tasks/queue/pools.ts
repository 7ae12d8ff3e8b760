import type { OutboundClient } from '#lib/http.ts'
import type { Seal } from '#lib/seal.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { LanguageEngine } from '../ai/engine.ts'
import type { MailEngine } from '../email/engine.ts'
import type { Scanner } from '../files/engine.ts'
import type { PuzzleMinter } from '../guard/engine.ts'
import type { FaceEngine } from '../identity/engine.ts'
import type { PushEngine } from '../push/engine.ts'
import type { MediaEngine } from '../video/engine.ts'
import type { Speech } from '../video/rules/captions/speech.ts'
import type { CertificateIssuer } from '../video/rules/domains/certificate-authority.ts'
import type { CallControl } from '../voice/engine.ts'
import type { CloudApi } from '../whatsapp/engine.ts'
import type { PageReader } from '../wiki/engine.ts'

/**
 * What tasks and enqueues know of a pool: a set of tasks that share workers. It has a queue schema of its own (`jobs_<pool>`), so
 * that another pool's backlog costs it nothing (measured in one shared schema: 1,700 claims/s fell to 90 beside 100,000 waiting
 * jobs). How a machine works for it is declared in `workers/<pool>/index.ts`.
 */
interface PoolInterface<Lent> {
  /**
   * Jobs fetched ahead in one statement. What is fetched ahead has had its turn decided: a job that comes later waits behind
   * up to so many of a stranger's in each worker process. 0 for tasks that take seconds; 2 to 5 times the concurrency for
   * short work that organisations can pile up; hundreds only where a job takes milliseconds.
   */
  readonly fetchAhead: number
  /** The type of the tools that it lends its tasks; never there at run time. */
  readonly lends?: Lent
}

const pool = <Lent>(settings: { fetchAhead: number }): PoolInterface<Lent> => settings

/** Every pool, with the tools that it lends; an engine is known here by its interface only. */
export const pools = {
  core: pool<CoreTools>({ fetchAhead: 500 }),
  // What makes an upload playable waits behind no ladder: a chunk holds a slot of `media` for many seconds.
  'media-intake': pool<MediaTools>({ fetchAhead: 0 }),
  media: pool<MediaTools & { speech: Speech }>({ fetchAhead: 0 }),
  scan: pool<ScanTools>({ fetchAhead: 0 }),
  'mail-transactional': pool<MailTools>({ fetchAhead: 0 }),
  'mail-campaign': pool<MailTools>({ fetchAhead: 0 }),
  webhooks: pool<WebhookTools>({ fetchAhead: 0 }),
  push: pool<PushTools>({ fetchAhead: 0 }),
  guard: pool<GuardTools>({ fetchAhead: 0 }),
  llm: pool<LanguageTools>({ fetchAhead: 0 }),
  web: pool<WebTools>({ fetchAhead: 0 }),
  whatsapp: pool<WhatsappTools>({ fetchAhead: 0 }),
  face: pool<FaceTools>({ fetchAhead: 0 }),
  sip: pool<SipTools>({ fetchAhead: 0 }),
  // Its workers take publishers in as well, whether it has jobs or not.
  live: pool<MediaTools>({ fetchAhead: 0 }),
  // Its workers hold rooms as well, whether it has jobs or not.
  rooms: pool<MediaTools>({ fetchAhead: 0 }),
} as const

/** The name of a pool. */
export type PoolName = keyof typeof pools

/** The tools each pool lends its tasks. */
export type Tools = { [P in PoolName]: NonNullable<(typeof pools)[P]['lends']> }

interface CoreTools {
  storage: Storage
  /** What certificates are ordered with; what is lacking where none are, in a sentence. */
  certificates: CertificateIssuer | { lacks: string }
  /** Notifies the named task that one of its jobs is given up. */
  giveUp(task: string, job: { payload: unknown; run?: string | undefined }, error: Error): Promise<void>
}

interface ScanTools {
  scanner: Scanner
  scratch: Pick<Scratch, 'attempt'>
  storage: Storage
}

interface MailTools {
  mail: MailEngine
}

interface PushTools {
  push: PushEngine
  /** Opens the credentials of apps. */
  seal: Seal
  /** The token by which a device proves that a delivery reached it. */
  signReceipt(deliveryId: string): string
}

interface WebhookTools {
  /** Reaches endpoints that customers gave, and nothing that is not theirs to name. */
  outbound: OutboundClient
  /** Opens the secrets that deliveries are signed with. */
  seal: Seal
}

interface GuardTools {
  minter: PuzzleMinter
}

interface LanguageTools {
  llm: LanguageEngine
}

interface WebTools {
  /** Reaches addresses that customers gave, and feeds. */
  outbound: OutboundClient
  /** Reads pages, in threads that are bounded in time and memory. */
  pages: PageReader
  /** Where a page leads on by itself; undefined when it does not. */
  metaRefresh(html: string): Promise<string | undefined>
  storage: Storage
}

interface WhatsappTools {
  whatsapp: CloudApi
}

interface FaceTools {
  faces: FaceEngine
}

interface SipTools {
  calls: CallControl
}

interface MediaTools {
  media: MediaEngine
  scratch: Scratch
  storage: Storage
}

/** Local disk of a worker: copies of objects, each fetched once a host, and folders that end with their attempt. */
export interface Scratch {
  /** Size of its disk in bytes, of which others may take a part. */
  capacity: number
  /** The local copy of an asset's object, fetched if it is not there, and if the disk has room for it. */
  fetch(assetId: string, key: string, signal: AbortSignal): Promise<string>
  /** Makes a local file the copy of an object; it is moved. */
  keep(assetId: string, key: string, path: string): Promise<string>
  /** The folder in which an asset's copies lie, under the last part of their keys. */
  folderOf(assetId: string): string
  /**
   * An empty folder that is removed when it is disposed of, or by the next worker when this one dies. Throws `EngineTrouble` when the
   * disk has no room for the `bytes` that are expected in it: the job then waits, or runs elsewhere, at no cost of an attempt.
   */
  attempt(bytes?: number): Promise<AsyncDisposable & { path: string }>
  /** Removes an asset's copies. */
  forget(assetId: string): Promise<void>
}

/** All pools' names. */
export const poolNames = Object.keys(pools) as PoolName[]

/** The Postgres schema of a pool's queue. */
export const poolSchema = (pool: PoolName): string => `jobs_${pool.replaceAll('-', '_')}`

/** Every pool's queue, as the statements over all of them take it. */
export const queues: readonly { pool: PoolName; schema: string }[] = poolNames.map((pool) => ({
  pool,
  schema: poolSchema(pool),
}))
