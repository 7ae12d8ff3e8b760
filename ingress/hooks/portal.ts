import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as publishers from '#sql/account/publishers.ts'
import { Capability } from '#tasks/hooks/rules/portal-token.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import { findHolder, ofPortal } from './portal/delegate.ts'

export const read = route({
  ...ofPortal,
  method: 'GET',
  path: '/portal',
  summary: 'Read what a portal token gives access to',
  status: 200,
  reply: z.object({
    app: z.object({ id: Id, uid: z.string().nullable(), name: z.string() }),
    organisation: z.string(),
    capability: Capability,
    expires_at: Instant,
  }),
  problems: ['unauthorized'],
  async handle(call) {
    const { app, subject } = await findHolder(call)
    const publisher = await publishers.find(call.db, app.org_id)
    return {
      app: { id: app.id, uid: app.uid, name: app.name },
      organisation: publisher?.name ?? '',
      capability: subject.capability,
      expires_at: new Date(subject.exp * 1000),
    }
  },
})
