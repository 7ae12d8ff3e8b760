import { deliveryRoutes } from '../webhooks/delivery-routes.ts'

export const { list, replay, replaySince } = deliveryRoutes({
  area: 'stream',
  scopes: { read: 'stream:read', write: 'stream:write' },
})
