import { deliveryRoutes } from '../webhooks/delivery-routes.ts'

/** The log of deliveries to webhooks. */
export const { list, replay, replaySince } = deliveryRoutes({
  area: 'stream',
  scopes: { read: 'stream:read', write: 'stream:write' },
})
