import { endpointRoutes } from '../webhooks/endpoint-routes.ts'

export const { create, list, remove, test, rotateSecret, enable } = endpointRoutes({
  area: 'stream',
  scopes: { read: 'stream:read', write: 'stream:write' },
  created: 201,
  beyondContract: true,
})
