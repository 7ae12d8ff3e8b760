import { deliveryRoutes } from '../webhooks/delivery-routes.ts'

/** The log of deliveries to webhooks. */
export const { list, replay, replaySince } = deliveryRoutes({
  area: 'files',
  scopes: { read: 'files:read', write: 'files:write' },
})
