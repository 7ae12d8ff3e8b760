import { endpointRoutes } from '../webhooks/endpoint-routes.ts'

/** Webhooks that are told what becomes of objects. */
export const { create, list, remove, test, rotateSecret, enable } = endpointRoutes({
  area: 'files',
  scopes: { read: 'files:read', write: 'files:write' },
  created: 200,
  beyondContract: true,
})
