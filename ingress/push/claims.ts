import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import * as rows from '#sql/push/installations.ts'
import * as registrations from '#sql/push/registrations.ts'
import * as users from '#sql/push/users.ts'
import { notifyStreams } from '#tasks/push/rules/stream-channel.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Locale, Tags, TimeZone, UserId } from './fields.ts'
import { Installation, present } from './installations.ts'
import { demandApp } from './own-app.ts'

const params = z.object({ installation_id: pathId('installation') })

/** Makes a device of nobody that of a person, as on sign-in. */
export const claim = route({
  method: 'POST',
  path: '/installations/{installation_id}/claim',
  repeatable: true,
  summary: 'Claim a device of nobody for a user',
  description:
    'As on sign-in: its tags and subscriptions stay. A stream that is open ends, and resumes. 409 for a device of somebody else, which moves by registering again.',
  scope: 'push:send',
  params,
  body: z.strictObject({ user_id: UserId }),
  status: 200,
  reply: Installation,
  problems: ['not_found', 'conflict'],
  example: { body: { user_id: 'user-17' } },
  async handle({ params: { installation_id: id }, body: { user_id }, org, key, db }) {
    const device = await mustFind(rows.find(db, org.id, id), 'installation')
    demandApp({ key }, device.app_id)
    const claimed = await db.transaction(async (tx) => {
      const user = await users.put(tx, { org_id: org.id, app_id: device.app_id, user_id })
      const found = await registrations.claim(tx, { id, org_id: org.id }, user.id)
      if (!found) throw conflict('The device is somebody else’s; registering it for a user moves it.')
      if (found.provider === 'sse') await notifyStreams(tx, [id])
      return found
    })
    return present({ ...claimed, user_id })
  },
})

/** Changes what segments and quiet hours go by. */
export const update = route({
  method: 'PATCH',
  path: '/installations/{installation_id}',
  summary: 'Change a device’s tags, time zone or language',
  scope: 'push:send',
  params,
  body: z.strictObject({
    tags: Tags.optional().describe('In place of those that it has'),
    time_zone: TimeZone.nullable().optional(),
    locale: Locale.nullable().optional(),
  }),
  status: 200,
  reply: Installation,
  problems: ['not_found'],
  example: { body: { tags: ['beta', 'vienna'], time_zone: 'Europe/Vienna' } },
  async handle({ params: { installation_id: id }, body, org, key, db }) {
    const device = await mustFind(rows.find(db, org.id, id), 'installation')
    demandApp({ key }, device.app_id)
    return present(await mustFind(rows.update(db, { id, org_id: org.id }, body), 'installation'))
  },
})
