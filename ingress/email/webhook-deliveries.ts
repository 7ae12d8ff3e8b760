import { deliveryRoutes } from '../webhooks/delivery-routes.ts'

export const { list, replay, replaySince } = deliveryRoutes({
  area: 'email',
  scopes: { read: 'email:manage', write: 'email:manage' },
})
