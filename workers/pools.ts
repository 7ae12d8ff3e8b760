import { newId } from '#lib/ids.ts'
import { tasksOf } from '#tasks/index.ts'
import { pools as interfaces, type PoolName } from '#tasks/pools.ts'
import { core } from './core/index.ts'
import { guard } from './guard/index.ts'
import { identity } from './identity/index.ts'
import { live } from './live/index.ts'
import { llm } from './llm/index.ts'
import { mailCampaign } from './mail-campaign/index.ts'
import { mailTransactional } from './mail-transactional/index.ts'
import { media, mediaIntake } from './media/index.ts'
import { push } from './push/index.ts'
import { rooms } from './rooms/index.ts'
import type { PoolPlan } from './runtime/fleet.ts'
import type { PoolDeclaration, ProcessResources } from './runtime/pool-declaration.ts'
import { scan } from './scan/index.ts'
import { voice } from './voice/index.ts'
import { web } from './web/index.ts'
import { webhooks } from './webhooks/index.ts'
import { whatsapp } from './whatsapp/index.ts'

export const pools: { readonly [P in PoolName]: PoolDeclaration<P> } = {
  core,
  'media-intake': mediaIntake,
  media,
  scan,
  'mail-transactional': mailTransactional,
  'mail-campaign': mailCampaign,
  webhooks,
  push,
  guard,
  llm,
  web,
  whatsapp,
  identity,
  voice,
  live,
  rooms,
}

/** One pool as a worker process runs it, with its tools; when it cannot be started, nothing of it is left. */
export async function planOf(pool: PoolName, process: ProcessResources): Promise<PoolPlan> {
  const { concurrency, tools } = pools[pool]
  const workerId = newId()
  const settings = { concurrency, fetchAhead: interfaces[pool].fetchAhead }
  const ends = new AsyncDisposableStack()
  try {
    const lent = await tools({ ...process, ends, workerId })
    process.ends.use(ends)
    return { pool, workerId, settings, tasks: tasksOf(pool), tools: lent }
  } catch (error) {
    await ends.disposeAsync()
    throw error
  }
}
