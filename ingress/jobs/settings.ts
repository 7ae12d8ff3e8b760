import { z } from 'zod'
import { config } from '#lib/config.ts'
import { badRequest } from '#lib/errors.ts'
import * as rows from '#sql/work/settings.ts'
import { setRetention } from '#tasks/work/rules/manage-settings.ts'
import { actorOfCall } from '../http/acting.ts'
import { route } from '../http/route.ts'

const Settings = z
  .object({
    retention_days: z
      .int()
      .nullable()
      .describe('Days that ended jobs are kept. `null`: the days of the installation, in `default_retention_days`.'),
    default_retention_days: z.int(),
  })
  .meta({ id: 'jobs.Settings' })

const present = (row: Pick<rows.Settings, 'retention_days'> | null): z.input<typeof Settings> => ({
  retention_days: row?.retention_days ?? null,
  default_retention_days: config.CALL_HISTORY_DAYS,
})

export const get = route({
  method: 'GET',
  path: '/settings',
  summary: 'Read the settings of jobs',
  description: 'Returns how long ended jobs are kept.',
  scope: 'jobs:read',
  status: 200,
  reply: Settings,
  handle: async ({ org, db }) => present(await rows.find(db, org.id)),
})

export const put = route({
  method: 'PUT',
  path: '/settings',
  summary: 'Update the settings of jobs',
  description: 'Replaces all settings.',
  scope: 'jobs:write',
  body: z.strictObject({
    retention_days: z
      .int()
      .min(1)
      .max(3_650)
      .nullable()
      .default(null)
      .describe('Days that ended jobs are kept, up to the days of the installation. `null`: as the installation.'),
  }),
  status: 200,
  reply: Settings,
  async handle({ body: { retention_days }, ...call }) {
    const most = config.CALL_HISTORY_DAYS
    if (retention_days !== null && retention_days > most)
      throw badRequest([
        { field: 'body.retention_days', issue: `must be at most ${most}, the days of the installation` },
      ])
    return present(await call.db.transaction((tx) => setRetention(tx, actorOfCall(call), retention_days)))
  },
})
