import { endpointRoutes } from '../webhooks/endpoint-routes.ts'

/** Webhooks that are told what becomes of assets and captions. */
export const { create, list, remove, test, rotateSecret, enable } = endpointRoutes({
  area: 'stream',
  scopes: { read: 'stream:read', write: 'stream:write' },
  created: 201,
  beyondContract: true,
})
