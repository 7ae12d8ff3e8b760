import { endpointRoutes } from '../webhooks/endpoint-routes.ts'

/** Webhooks that are told what becomes of deliveries and devices. */
export const { create, list, remove, test, rotateSecret, enable } = endpointRoutes({
  area: 'push',
  scopes: { read: 'push:manage', write: 'push:manage' },
  created: 201,
})
