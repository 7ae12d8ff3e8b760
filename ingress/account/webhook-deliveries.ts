import { z } from 'zod'
import { deliverMissed } from '#tasks/webhooks/rules/catch-up.ts'
import { replayLogged } from '#tasks/webhooks/rules/replay-logged.ts'
import { deliveryRoutes } from '../webhooks/delivery-routes.ts'
import { webhookOwner } from './webhook-fields.ts'

const scope = 'account:webhooks'

export const { list, replay, replaySince } = deliveryRoutes({
  base: '/account/webhooks',
  scopes: { read: scope, write: scope },
  tools: {
    list: { name: 'list_webhook_deliveries', outsideText: true },
    replay: { name: 'replay_webhook_delivery', reachesOut: true },
  },
  ownerOf: webhookOwner,
  replayable: z
    .enum(['failed', 'all', 'missed'])
    .default('failed')
    .describe(
      '`failed`: failed events. `all`: failed and delivered events. `missed`: stored events that the webhook has not received.',
    ),
  async replaySome(tx, endpoint, { since, status }) {
    if (status === 'missed') return await deliverMissed(tx, endpoint, since)
    return await replayLogged(tx, endpoint, { since, status })
  },
})
