import { z } from 'zod'
import { Locks } from '#sql/account/keys.ts'
import { everyLock } from '#tasks/account/rules/locks.ts'
import { route } from '../http/route.ts'

/** Any key can read itself. */
export const read = route({
  method: 'GET',
  path: '/key',
  summary: 'Show the API key and its organisation',
  scope: [],
  testKeys: 'shared',
  locks: everyLock,
  hidden: true,
  status: 200,
  reply: z.object({
    key: z.object({
      id: z.string(),
      name: z.string(),
      mode: z.enum(['live', 'test']),
      scopes: z.array(z.string()),
      locks: Locks,
    }),
    organisation: z.object({ id: z.string(), name: z.string() }),
  }),
  tool: {
    name: 'whoami',
    description:
      'Name, mode, scopes and locks of the key in use. With a test key, messages are recorded and not delivered.',
  },
  handle: async ({ key, org }) => ({
    key: { id: key.id, name: key.name, mode: key.mode, scopes: [...key.scopes], locks: key.locks },
    organisation: { id: org.id, name: org.name },
  }),
})
