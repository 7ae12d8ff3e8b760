import { deliveryRoutes } from '../webhooks/delivery-routes.ts'

/** The log of deliveries to webhooks. */
export const { list, replay, replaySince } = deliveryRoutes({
  area: 'push',
  scopes: { read: 'push:manage', write: 'push:manage' },
})
