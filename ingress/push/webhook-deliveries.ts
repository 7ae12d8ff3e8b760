import { deliveryRoutes, fromLog } from '../webhooks/delivery-routes.ts'
import { getOwner } from '../webhooks/endpoint-routes.ts'

export const { list, replay, replaySince } = deliveryRoutes({
  ...fromLog,
  base: '/webhooks',
  ownerOf: (caller) => getOwner('push', caller),
  scopes: { read: 'push:manage', write: 'push:manage' },
})
