import { z } from 'zod'
import { secret } from '#lib/secret-fields.ts'
import { checkRestreamUrl, trimUrl } from './restream-url.ts'

export const maxRestreams = 3

export const RestreamTarget = z.strictObject({
  name: z.string().trim().min(1).max(200),
  url: z
    .string()
    .trim()
    .superRefine((text, context) => {
      const message = checkRestreamUrl(text)
      if (message) context.addIssue({ code: 'custom', message })
    })
    .transform(trimUrl)
    .describe('Server URL (`rtmp://…` or `rtmps://…`) with the application and without the stream key'),
  streamKey: secret(
    z
      .string()
      .min(1)
      .max(500)
      .refine(
        (key) => [...key].every((letter) => letter > ' ' && letter <= '~'),
        'must be printable ASCII without spaces',
      ),
  ).describe('Stream key of the platform. Stored encrypted and never returned.'),
  enabled: z.boolean(),
})

export const RestreamChange = RestreamTarget.partial().refine(
  (body) => Object.values(body).some((value) => value !== undefined),
  'must change at least one field',
)
