import { deliveryRoutes } from '../webhooks/delivery-routes.ts'

/** The log of deliveries to webhooks. */
export const { list, replay, replaySince } = deliveryRoutes({
  area: 'email',
  scopes: { read: 'email:manage', write: 'email:manage' },
})
