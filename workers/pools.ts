import { newId } from '#lib/ids.ts'
import { limitPool } from '#sql/shared-pool.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { pools as interfaces, type PoolName } from '#tasks/pools.ts'
import type { PoolPlan } from './runtime/fleet.ts'
import type { PoolDeclaration, ProcessResources } from './runtime/pool-declaration.ts'

/** Declarations of all pools. A process loads only the engines of its pools, because all of them take half a second. */
const declarations: { readonly [P in PoolName]: () => Promise<PoolDeclaration<P>> } = {
  core: async () => (await import('./core/index.ts')).core,
  'media-intake': async () => (await import('./media/index.ts')).mediaIntake,
  media: async () => (await import('./media/index.ts')).media,
  scan: async () => (await import('./scan/index.ts')).scan,
  images: async () => (await import('./images/index.ts')).images,
  'mail-transactional': async () => (await import('./mail-transactional/index.ts')).mailTransactional,
  'mail-campaign': async () => (await import('./mail-campaign/index.ts')).mailCampaign,
  webhooks: async () => (await import('./webhooks/index.ts')).webhooks,
  calls: async () => (await import('./calls/index.ts')).calls,
  streams: async () => (await import('./streams/index.ts')).streams,
  push: async () => (await import('./push/index.ts')).push,
  guard: async () => (await import('./guard/index.ts')).guard,
  llm: async () => (await import('./llm/index.ts')).llm,
  web: async () => (await import('./web/index.ts')).web,
  sms: async () => (await import('./sms/index.ts')).sms,
  whatsapp: async () => (await import('./whatsapp/index.ts')).whatsapp,
  identity: async () => (await import('./identity/index.ts')).identity,
  'identity-documents': async () => (await import('./identity/index.ts')).identityDocuments,
  voice: async () => (await import('./voice/index.ts')).voice,
  live: async () => (await import('./live/index.ts')).live,
  rooms: async () => (await import('./rooms/index.ts')).rooms,
}

export const loadDeclaration = <P extends PoolName>(pool: P): Promise<PoolDeclaration<P>> => declarations[pool]()

export async function allDeclarations(): Promise<Map<PoolName, PoolDeclaration>> {
  const names = Object.keys(declarations) as PoolName[]
  return new Map(await Promise.all(names.map(async (name) => [name, await loadDeclaration<PoolName>(name)] as const)))
}

/** Maximum number of connections of one pool’s tools: a third of the connections for all tools of a process. */
const toolConnections = 2

export async function createPoolPlan(pool: PoolName, process: ProcessResources): Promise<PoolPlan> {
  const { concurrency, share, tools } = await loadDeclaration<PoolName>(pool)
  const workerId = newId()
  const settings = { concurrency, fetchAhead: interfaces[pool].fetchAhead, share: 'none' in share ? undefined : share }
  const ends = new AsyncDisposableStack()
  const db = limitPool(process.db, toolConnections)
  try {
    const lent = await tools({ ...process, db, ends, workerId })
    process.ends.use(ends)
    return { pool, workerId, settings, tasks: getTasksOfPool(pool), tools: lent }
  } catch (error) {
    await ends.disposeAsync()
    throw error
  }
}
