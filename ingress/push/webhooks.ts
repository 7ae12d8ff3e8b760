import { endpointRoutes } from '../webhooks/endpoint-routes.ts'

export const { create, list, remove, test, rotateSecret, enable } = endpointRoutes({
  area: 'push',
  scopes: { read: 'push:manage', write: 'push:manage' },
})
