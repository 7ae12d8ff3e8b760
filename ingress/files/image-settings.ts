import { z } from 'zod'
import * as rows from '#sql/files/images/settings.ts'
import { route } from '../http/route.ts'

const Settings = z
  .object({
    only_presets: z
      .boolean()
      .describe('If true, image URLs accept only `preset`, or parameters that Millrace has signed. Default: `false`.'),
  })
  .meta({ id: 'files.ImageSettings' })

export const read = route({
  method: 'GET',
  path: '/image-settings',
  summary: 'Read the image settings',
  description: 'Returns which parameters image URLs accept.',
  scope: 'files:read',
  status: 200,
  reply: Settings,
  handle: ({ org, db }) => rows.read(db, org.id),
})

export const update = route({
  method: 'PATCH',
  path: '/image-settings',
  summary: 'Update the image settings',
  description: 'A change applies to all URLs within 2 seconds.',
  scope: 'files:write',
  repeatable: true,
  body: z.strictObject({ only_presets: z.boolean() }),
  status: 200,
  reply: Settings,
  example: { body: { only_presets: true } },
  async handle({ body, org, db }) {
    await rows.put(db, org.id, body)
    return body
  },
})
