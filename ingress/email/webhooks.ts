import { endpointRoutes } from '../webhooks/endpoint-routes.ts'

export const { create, list, remove, test, rotateSecret, enable } = endpointRoutes({
  area: 'email',
  scopes: { read: 'email:manage', write: 'email:manage' },
  bareNames: true,
})
