import { deliveryRoutes } from '../webhooks/delivery-routes.ts'

export const { list, replay, replaySince } = deliveryRoutes({
  area: 'files',
  scopes: { read: 'files:read', write: 'files:write' },
})
