import type { LimitName } from './plans.ts'

/** One thing whose use is counted by day. */
export interface Metric {
  unit: 'messages' | 'tokens' | 'requests' | 'bytes' | 'minutes' | 'seconds' | 'calls' | 'checks' | 'events' | 'views'
  area: string
  words: string
  /** Whether it may be billed: then it is counted in the transaction of its effect. */
  billable: boolean
  /**
   * How its days are made: `effect` counts where it happens, and there a budget's hard limit holds exactly; `roll-up` sums its
   * area's own rows each hour; `peak` is the most that there was at once.
   */
  counted: 'effect' | 'roll-up' | 'peak'
  /** What its parts are named by. */
  dimensions: readonly string[]
  /** The limit of the plan that holds it, too: of a month, or of what there is at once. */
  plan?: LimitName
}

const effect = { billable: true, counted: 'effect' } as const
const rolledUp = { billable: false, counted: 'roll-up' } as const

/** Everything whose use is counted. */
export const metrics = {
  requests: { ...rolledUp, area: 'account', unit: 'requests', words: 'requests answered', dimensions: ['key'] },
  'email.messages': {
    ...effect,
    area: 'email',
    unit: 'messages',
    words: 'mails accepted to be sent',
    dimensions: ['domain', 'key'],
    plan: 'monthly_messages',
  },
  'email.delivered': { ...rolledUp, area: 'email', unit: 'messages', words: 'mails delivered', dimensions: ['stream'] },
  'ai.tokens': {
    ...effect,
    area: 'ai',
    unit: 'tokens',
    words: 'tokens of language work, read and written',
    dimensions: ['operation'],
    plan: 'monthly_tokens',
  },
  'ai.requests': {
    ...rolledUp,
    area: 'ai',
    unit: 'requests',
    words: 'pieces of language work',
    dimensions: ['operation'],
  },
  'bots.answers': { ...rolledUp, area: 'bots', unit: 'messages', words: 'answers of bots', dimensions: ['bot'] },
  'storage.bytes': {
    billable: true,
    counted: 'peak',
    area: 'account',
    unit: 'bytes',
    words: 'the most that was stored at once, uploads under way included',
    dimensions: [],
    plan: 'storage_bytes',
  },
  'push.messages': {
    ...effect,
    area: 'push',
    unit: 'messages',
    words: 'push messages accepted to be sent',
    dimensions: ['app'],
  },
  'push.deliveries': {
    ...rolledUp,
    area: 'push',
    unit: 'messages',
    words: 'push messages that a provider took, by device',
    dimensions: ['app'],
  },
  'guard.challenges': { ...rolledUp, area: 'guard', unit: 'checks', words: 'challenges issued', dimensions: ['site'] },
  'video.stored': {
    billable: true,
    counted: 'peak',
    area: 'video',
    unit: 'minutes',
    words: 'minutes of video kept',
    dimensions: [],
  },
  'video.encoded': {
    ...rolledUp,
    area: 'video',
    unit: 'minutes',
    words: 'minutes of video made ready',
    dimensions: [],
  },
  'video.delivered': {
    ...rolledUp,
    area: 'video',
    unit: 'minutes',
    words: 'minutes of video watched',
    dimensions: ['asset'],
  },
  'video.views': { ...rolledUp, area: 'video', unit: 'views', words: 'views of videos', dimensions: ['asset'] },
  'video.bytes': {
    ...rolledUp,
    area: 'video',
    unit: 'bytes',
    words: 'bytes of video watched, by the bit rate that players report',
    dimensions: ['asset'],
  },
  'live.broadcast': {
    ...rolledUp,
    area: 'live',
    unit: 'minutes',
    words: 'minutes that channels were live',
    dimensions: ['channel'],
  },
  'rooms.participants': {
    ...rolledUp,
    area: 'rooms',
    unit: 'minutes',
    words: 'minutes that participants were in rooms, each counted',
    dimensions: [],
  },
  'voice.seconds': {
    ...effect,
    area: 'voice',
    unit: 'seconds',
    words: 'seconds for which calls were connected',
    dimensions: ['key'],
  },
  'voice.calls': { ...rolledUp, area: 'voice', unit: 'calls', words: 'calls made', dimensions: ['key'] },
  'whatsapp.messages': {
    ...effect,
    area: 'whatsapp',
    unit: 'messages',
    words: 'WhatsApp messages accepted to be sent',
    dimensions: [],
  },
  'whatsapp.received': {
    ...rolledUp,
    area: 'whatsapp',
    unit: 'messages',
    words: 'WhatsApp messages received',
    dimensions: [],
  },
  'identity.checks': {
    ...rolledUp,
    area: 'identity',
    unit: 'checks',
    words: 'checks of identities decided or changed last on the day',
    dimensions: ['method'],
  },
  'trust.checks': { ...rolledUp, area: 'trust', unit: 'checks', words: 'checks answered', dimensions: ['key'] },
  'geo.lookups': { ...rolledUp, area: 'geo', unit: 'requests', words: 'lookups answered', dimensions: ['key'] },
  'erp.lookups': { ...rolledUp, area: 'erp', unit: 'requests', words: 'lookups answered', dimensions: ['key'] },
  'notify.events': { ...rolledUp, area: 'notify', unit: 'events', words: 'events told', dimensions: ['product'] },
  'files.scans': { ...rolledUp, area: 'files', unit: 'checks', words: 'scans of files', dimensions: ['cause'] },
  'wiki.snapshots': { ...rolledUp, area: 'wiki', unit: 'checks', words: 'pages captured', dimensions: [] },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof metrics

export const metricNames = Object.keys(metrics) as [MetricName, ...MetricName[]]

/** What is said of a metric, whatever it is. */
export const metricOf = (name: MetricName): Metric => metrics[name]
