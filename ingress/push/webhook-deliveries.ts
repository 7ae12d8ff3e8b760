import { deliveryRoutes } from '../webhooks/delivery-routes.ts'

export const { list, replay, replaySince } = deliveryRoutes({
  area: 'push',
  scopes: { read: 'push:manage', write: 'push:manage' },
})
