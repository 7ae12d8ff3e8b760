import { endpointRoutes } from '../webhooks/endpoint-routes.ts'

/** Webhooks that are told what becomes of messages. */
export const { create, list, remove, test, rotateSecret, enable } = endpointRoutes({
  area: 'email',
  scopes: { read: 'email:manage', write: 'email:manage' },
  bareNames: true,
  created: 201,
})
