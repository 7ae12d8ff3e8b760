import { endpointRoutes } from '../webhooks/endpoint-routes.ts'

export const { create, list, remove, test, rotateSecret, enable } = endpointRoutes({
  area: 'files',
  scopes: { read: 'files:read', write: 'files:write' },
  created: 200,
  beyondContract: true,
})
