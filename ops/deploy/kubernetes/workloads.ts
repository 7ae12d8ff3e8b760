import type { PoolName } from '#tasks/pools.ts'

/**
 * Internet access of a workload, in addition to database and storage: none, any port, or TCP ports (25 is for email).
 */
export type Internet = 'none' | 'any' | readonly number[]

export interface Port {
  name: string
  port: number
  protocol?: 'UDP'
  variable: string
  /** True if the port is reachable only from ingress pods. */
  inside?: boolean
}

/** How the workers of some pools run: one Deployment, and one ScaledObject unless the number of workers is fixed. */
export interface Workload {
  pools: readonly PoolName[]
  cpu: { asked: string; most?: string }
  memory: { asked: string; most: string }
  /** Size of /data for work in progress. */
  disk: string
  /** Time in seconds that running jobs have after SIGTERM before they are returned. */
  graceSeconds: number
  /**
   * Number of workers. More workers are started if more than `waiting` jobs per worker wait, or the oldest job waits
   * longer than `lateSeconds`.
   */
  replicas: { least: number; most: number; waiting: number; lateSeconds: number } | { fixed: number }
  internet: Internet
  reaches?: Readonly<Record<string, readonly number[]>>
  /** True if the workload's programs process untrusted files, each run in a separate network namespace. */
  sandbox?: boolean
  /** True if the workload verifies customers' domains at their own name servers. */
  names?: boolean
  ports?: readonly Port[]
  /** True if its pod contains a clamd. */
  scanner?: boolean
  environment?: Readonly<Record<string, string>>
}

const small = {
  cpu: { asked: '100m' },
  memory: { asked: '192Mi', most: '512Mi' },
  disk: '1Gi',
  graceSeconds: 30,
} as const

/** Ports of some SRT channels. For more channels, add ports to the Service. */
const srt = Array.from({ length: 10 }, (_, i) => ({
  name: `srt-${9710 + i}`,
  port: 9710 + i,
  protocol: 'UDP' as const,
  variable: 'LIVE_SRT_PORTS',
}))

/**
 * Ports for the media of about twenty participants. For more, use a port range of the nodes (`hostNetwork`) or TURN.
 */
const ice = Array.from({ length: 40 }, (_, i) => ({
  name: `ice-${10_000 + i}`,
  port: 10_000 + i,
  protocol: 'UDP' as const,
  variable: 'ROOMS_ICE_PORTS',
}))

/** The workload of every pool, by the name of its Deployment. Each pool belongs to exactly one workload. */
export const workloads: Readonly<Record<string, Workload>> = {
  core: {
    ...small,
    pools: ['core'],
    replicas: { least: 2, most: 6, waiting: 2_000, lateSeconds: 30 },
    internet: [443],
    names: true,
  },
  'media-intake': {
    pools: ['media-intake'],
    cpu: { asked: '1' },
    memory: { asked: '1Gi', most: '4Gi' },
    disk: '60Gi',
    graceSeconds: 300,
    replicas: { least: 1, most: 10, waiting: 4, lateSeconds: 30 },
    internet: 'none',
    sandbox: true,
  },
  media: {
    pools: ['media'],
    cpu: { asked: '2' },
    memory: { asked: '2Gi', most: '6Gi' },
    disk: '60Gi',
    graceSeconds: 300,
    replicas: { least: 1, most: 30, waiting: 8, lateSeconds: 300 },
    internet: 'none',
    sandbox: true,
  },
  scan: {
    pools: ['scan'],
    cpu: { asked: '500m' },
    memory: { asked: '512Mi', most: '2Gi' },
    disk: '20Gi',
    graceSeconds: 120,
    replicas: { least: 1, most: 8, waiting: 20, lateSeconds: 60 },
    // For the download of signatures. Programs that unpack have no network.
    internet: [443],
    sandbox: true,
    scanner: true,
  },
  images: {
    ...small,
    pools: ['images'],
    cpu: { asked: '1' },
    memory: { asked: '512Mi', most: '2Gi' },
    replicas: { least: 1, most: 8, waiting: 10, lateSeconds: 5 },
    internet: 'none',
    sandbox: true,
  },
  mail: {
    ...small,
    pools: ['mail-transactional'],
    // Threads parse received email.
    memory: { asked: '256Mi', most: '1Gi' },
    replicas: { least: 2, most: 10, waiting: 500, lateSeconds: 30 },
    internet: [25, 443, 465, 587],
    names: true,
    graceSeconds: 60,
  },
  'mail-campaign': {
    ...small,
    pools: ['mail-campaign'],
    replicas: { least: 1, most: 10, waiting: 2_000, lateSeconds: 600 },
    internet: [25, 443, 465, 587],
    names: true,
    graceSeconds: 60,
  },
  webhooks: {
    ...small,
    pools: ['webhooks'],
    replicas: { least: 2, most: 10, waiting: 300, lateSeconds: 30 },
    internet: 'any',
  },
  calls: {
    ...small,
    pools: ['calls'],
    replicas: { least: 1, most: 10, waiting: 500, lateSeconds: 10 },
    internet: 'any',
  },
  streams: {
    ...small,
    pools: ['streams'],
    replicas: { least: 1, most: 4, waiting: 200, lateSeconds: 60 },
    internet: 'any',
  },
  push: {
    ...small,
    pools: ['push'],
    memory: { asked: '256Mi', most: '1Gi' },
    replicas: { least: 1, most: 10, waiting: 50, lateSeconds: 30 },
    internet: [443, 2197],
  },
  guard: {
    ...small,
    pools: ['guard'],
    cpu: { asked: '500m' },
    replicas: { least: 1, most: 4, waiting: 4, lateSeconds: 60 },
    internet: 'none',
  },
  llm: {
    ...small,
    pools: ['llm'],
    // The sentence model and the language detection need up to 450 MB.
    memory: { asked: '384Mi', most: '1Gi' },
    replicas: { least: 1, most: 10, waiting: 16, lateSeconds: 10 },
    internet: [80, 443],
  },
  web: {
    ...small,
    pools: ['web'],
    memory: { asked: '384Mi', most: '1Gi' },
    // Files of registers are stored here until they are in object storage.
    disk: '8Gi',
    replicas: { least: 1, most: 8, waiting: 50, lateSeconds: 60 },
    internet: 'any',
  },
  whatsapp: {
    ...small,
    pools: ['whatsapp'],
    // Files from users are stored here until they are in object storage.
    disk: '4Gi',
    replicas: { least: 1, most: 4, waiting: 200, lateSeconds: 30 },
    internet: [443],
  },
  sms: {
    ...small,
    pools: ['sms'],
    replicas: { least: 1, most: 4, waiting: 200, lateSeconds: 30 },
    internet: 'any',
  },
  identity: {
    ...small,
    pools: ['identity', 'identity-documents'],
    cpu: { asked: '1' },
    memory: { asked: '512Mi', most: '1536Mi' },
    replicas: { least: 1, most: 8, waiting: 5, lateSeconds: 20 },
    internet: 'none',
    sandbox: true,
  },
  voice: {
    ...small,
    pools: ['voice'],
    // A call is held by the worker that the trunks are configured for.
    replicas: { fixed: 1 },
    internet: 'any',
    graceSeconds: 120,
    ports: [
      { name: 'sip', port: 5060, protocol: 'UDP', variable: 'SIP_PORT' },
      { name: 'sip-tcp', port: 5060, variable: 'SIP_PORT' },
      { name: 'sips', port: 5061, variable: 'SIP_TLS_PORT' },
    ],
  },
  live: {
    pools: ['live'],
    cpu: { asked: '2' },
    memory: { asked: '2Gi', most: '8Gi' },
    disk: '60Gi',
    graceSeconds: 60,
    // The SRT port of a channel belongs to one worker. A second worker can accept only RTMP channels.
    replicas: { fixed: 1 },
    internet: 'none',
    sandbox: true,
    ports: [
      { name: 'rtmp', port: 1936, variable: 'LIVE_RTMP_PORT' },
      ...srt,
      { name: 'origin', port: 9720, variable: 'LIVE_ORIGIN_PORT', inside: true },
    ],
    environment: { LIVE_SRT_PORTS: '9710-9719', LIVE_ORIGIN_HOST: '$(POD_IP)', LIVE_ORIGIN_PORT: '9720' },
  },
  rooms: {
    pools: ['rooms'],
    cpu: { asked: '2' },
    memory: { asked: '1Gi', most: '6Gi' },
    disk: '20Gi',
    graceSeconds: 60,
    // Participants connect to the ports of the worker that has their room.
    replicas: { fixed: 1 },
    internet: 'any',
    reaches: { live: [1936] },
    ports: [{ name: 'signalling', port: 9730, variable: 'ROOMS_PORT' }, ...ice],
    environment: {
      ROOMS_PORT: '9730',
      ROOMS_ICE_PORTS: '10000-10039',
      ROOMS_CAPACITY: '20',
      ROOMS_RTMP_URL: 'rtmp://millrace-live:1936/live',
    },
  },
}
