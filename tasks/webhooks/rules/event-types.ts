/** The types of events that can be subscribed to, by the area whose endpoints are told of them. */
export const eventTypes = {
  email: {
    prefix: 'email.',
    types: [
      'email.accepted',
      'email.sent',
      'email.delivered',
      'email.deferred',
      'email.bounced',
      'email.failed',
      'email.suppressed',
      'email.complained',
      'email.contact.confirmed',
      'email.contact.unsubscribed',
      'email.domain.verified',
      'email.domain.failed',
      'email.marketing.paused',
      'email.marketing.resumed',
      'email.reputation.warning',
    ],
  },
  stream: {
    prefix: 'video.',
    types: [
      'video.asset.ready',
      'video.asset.failed',
      'video.captions.ready',
      'video.live.started',
      'video.live.ended',
      'video.live.recorded',
      'video.room.started',
      'video.room.participant.joined',
      'video.room.participant.left',
      'video.room.ended',
    ],
  },
  push: {
    prefix: 'push.',
    types: ['push.delivered', 'push.failed', 'push.opened', 'push.installation.invalidated'],
  },
  files: { prefix: 'files.', types: ['files.object.clean', 'files.object.infected'] },
} as const satisfies Record<string, { prefix: string; types: readonly string[] }>

/** An area whose events endpoints are told of. */
export type WebhookArea = keyof typeof eventTypes

const areas = Object.keys(eventTypes) as WebhookArea[]

export function areaOf(type: string): WebhookArea {
  const area = areas.find((name) => type.startsWith(eventTypes[name].prefix))
  if (!area) throw new TypeError(`No area has events like ${type}.`)
  return area
}
