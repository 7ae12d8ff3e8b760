import type { LimitName } from '../plans.ts'

export interface Metric {
  unit:
    | 'messages'
    | 'tokens'
    | 'requests'
    | 'bytes'
    | 'minutes'
    | 'seconds'
    | 'segments'
    | 'calls'
    | 'checks'
    | 'events'
    | 'views'
  area: string
  words: string
  /** True if the metric can be billed. A billable metric is counted in the transaction of its effect. */
  billable: boolean
  /**
   * `effect`: counted in the transaction of the effect, so that hard limits are exact. `roll-up`: aggregated once per
   * hour from rows of its area. `peak`: the maximum at any time.
   */
  counted: 'effect' | 'roll-up' | 'peak'
  dimensions: readonly string[]
  plan?: LimitName
}

const effect = { billable: true, counted: 'effect' } as const
const rolledUp = { billable: false, counted: 'roll-up' } as const

export const metrics = {
  requests: { ...rolledUp, area: 'account', unit: 'requests', words: 'requests with a response', dimensions: ['key'] },
  'email.messages': {
    ...effect,
    area: 'email',
    unit: 'messages',
    words: 'emails accepted for sending',
    dimensions: ['domain', 'key'],
    plan: 'monthly_messages',
  },
  'email.delivered': {
    ...rolledUp,
    area: 'email',
    unit: 'messages',
    words: 'emails delivered',
    dimensions: ['stream'],
  },
  'ai.tokens': {
    ...effect,
    area: 'ai',
    unit: 'tokens',
    words: 'language model tokens, input and output',
    dimensions: ['operation'],
    plan: 'monthly_tokens',
  },
  'ai.requests': {
    ...rolledUp,
    area: 'ai',
    unit: 'requests',
    words: 'language model requests',
    dimensions: ['operation'],
  },
  'bots.answers': { ...rolledUp, area: 'bots', unit: 'messages', words: 'bot answers', dimensions: ['bot'] },
  'storage.bytes': {
    billable: true,
    counted: 'peak',
    area: 'account',
    unit: 'bytes',
    words: 'highest storage in use, including uploads in progress',
    dimensions: [],
    plan: 'storage_bytes',
  },
  'push.messages': {
    ...effect,
    area: 'push',
    unit: 'messages',
    words: 'push messages accepted for sending',
    dimensions: ['app'],
  },
  'push.deliveries': {
    ...rolledUp,
    area: 'push',
    unit: 'messages',
    words: 'push messages accepted by a provider, per device',
    dimensions: ['app'],
  },
  'guard.challenges': { ...rolledUp, area: 'guard', unit: 'checks', words: 'challenges issued', dimensions: ['site'] },
  'video.stored': {
    billable: true,
    counted: 'peak',
    area: 'video',
    unit: 'minutes',
    words: 'minutes of video stored',
    dimensions: [],
  },
  'video.encoded': {
    ...rolledUp,
    area: 'video',
    unit: 'minutes',
    words: 'minutes of video encoded',
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
    words: 'bytes of video watched, estimated from the bit rate that players report',
    dimensions: ['asset'],
  },
  'live.broadcast': {
    ...rolledUp,
    area: 'live',
    unit: 'minutes',
    words: 'minutes of live broadcasts',
    dimensions: ['channel'],
  },
  'rooms.participants': {
    ...rolledUp,
    area: 'rooms',
    unit: 'minutes',
    words: 'participant minutes in rooms',
    dimensions: [],
  },
  'voice.seconds': {
    ...effect,
    area: 'voice',
    unit: 'seconds',
    words: 'seconds of connected calls',
    dimensions: ['key'],
  },
  'voice.calls': { ...rolledUp, area: 'voice', unit: 'calls', words: 'calls placed', dimensions: ['key'] },
  'whatsapp.messages': {
    ...effect,
    area: 'whatsapp',
    unit: 'messages',
    words: 'WhatsApp messages accepted for sending',
    dimensions: [],
  },
  'whatsapp.received': {
    ...rolledUp,
    area: 'whatsapp',
    unit: 'messages',
    words: 'WhatsApp messages received',
    dimensions: [],
  },
  'sms.segments': {
    ...effect,
    area: 'sms',
    unit: 'segments',
    words: 'segments of text messages accepted for sending',
    dimensions: [],
  },
  'sms.received': { ...rolledUp, area: 'sms', unit: 'messages', words: 'text messages received', dimensions: [] },
  'identity.checks': {
    ...rolledUp,
    area: 'identity',
    unit: 'checks',
    words: 'identity checks with their last change on the day',
    dimensions: ['method'],
  },
  'trust.checks': { ...rolledUp, area: 'trust', unit: 'checks', words: 'checks with a response', dimensions: ['key'] },
  'geo.lookups': { ...rolledUp, area: 'geo', unit: 'requests', words: 'lookups with a response', dimensions: ['key'] },
  'erp.lookups': { ...rolledUp, area: 'erp', unit: 'requests', words: 'lookups with a response', dimensions: ['key'] },
  'notify.events': { ...rolledUp, area: 'notify', unit: 'events', words: 'events submitted', dimensions: ['product'] },
  'files.scans': { ...rolledUp, area: 'files', unit: 'checks', words: 'file scans', dimensions: ['cause'] },
  'files.delivered': {
    ...rolledUp,
    area: 'files',
    unit: 'bytes',
    words: 'bytes of files delivered by their URLs',
    dimensions: ['object'],
  },
  'wiki.snapshots': { ...rolledUp, area: 'wiki', unit: 'checks', words: 'pages captured', dimensions: [] },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof metrics

export const metricNames = Object.keys(metrics) as [MetricName, ...MetricName[]]

export const getMetric = (name: MetricName): Metric => metrics[name]
