import { z } from 'zod'

/** Target of a message: one user, named users, subscribers of a topic, devices by tags, or all devices of an app. */
export const Target = z.enum(['user', 'users', 'topic', 'segment', 'all'])

export type Target = z.infer<typeof Target>

/** Tags of the devices of a segment: all of `all`, any of `any`, none of `none`. */
const TagRule = z.object({ all: z.array(z.string()), any: z.array(z.string()), none: z.array(z.string()) })

export type TagRule = z.infer<typeof TagRule>

/** Recipients of a target that is not a single user: the customer’s user IDs, a topic, or tags. */
export const Audience = z.object({
  users: z.array(z.string()).optional(),
  topic: z.string().optional(),
  tags: TagRule.optional(),
})

export type Audience = z.infer<typeof Audience>

/** Times of day (HH:MM) between which a message is not delivered, in each user’s time zone. */
export const QuietHours = z.object({ from: z.string(), to: z.string(), time_zone: z.string() })

export type QuietHours = z.infer<typeof QuietHours>
