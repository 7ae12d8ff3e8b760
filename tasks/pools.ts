import { streams } from './account/pools.ts'
import { llm } from './ai/pools.ts'
import { mailCampaign, mailTransactional } from './email/pools.ts'
import { images, scan } from './files/pools.ts'
import { guard } from './guard/pools.ts'
import { identity, identityDocuments } from './identity/pools.ts'
import { core } from './jobs/pools.ts'
import { live } from './live/pools.ts'
import { push } from './push/pools.ts'
import { rooms } from './rooms/pools.ts'
import { sms } from './sms/pools.ts'
import { media, mediaIntake } from './video/pools.ts'
import { voice } from './voice/pools.ts'
import { webhooks } from './webhooks/pools.ts'
import { whatsapp } from './whatsapp/pools.ts'
import { web } from './wiki/pools.ts'
import { calls } from './work/pools.ts'

const all = [
  core,
  mediaIntake,
  media,
  scan,
  images,
  mailTransactional,
  mailCampaign,
  webhooks,
  calls,
  streams,
  push,
  guard,
  llm,
  web,
  whatsapp,
  sms,
  identity,
  identityDocuments,
  voice,
  live,
  rooms,
] as const

type DeclaredPool = (typeof all)[number]

export type PoolName = DeclaredPool['name']

export type Tools = { [P in DeclaredPool as P['name']]: NonNullable<P['lends']> }

export const pools = Object.fromEntries(all.map((pool) => [pool.name, pool])) as {
  readonly [P in PoolName]: Extract<DeclaredPool, { name: P }>
}

export const poolNames = all.map(({ name }) => name)

export const poolSchema = (pool: PoolName): string => `jobs_${pool.replaceAll('-', '_')}`

export const queues: readonly { pool: PoolName; schema: string }[] = poolNames.map((pool) => ({
  pool,
  schema: poolSchema(pool),
}))
