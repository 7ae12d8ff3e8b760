import { z } from 'zod'

/** To whom a message goes: one person, named people, who subscribed to a topic, devices by their tags, or everybody of an app. */
export const Target = z.enum(['user', 'users', 'topic', 'segment', 'all'])

/** To whom a message goes. */
export type Target = z.infer<typeof Target>

/** Which tags a device of a segment has: all of these, any of those, none of the others. */
const TagRule = z.object({ all: z.array(z.string()), any: z.array(z.string()), none: z.array(z.string()) })

/** Which tags a device of a segment has. */
export type TagRule = z.infer<typeof TagRule>

/** Who is meant by a target other than one person: the customer's ids of people, a topic, or tags. */
export const Audience = z.object({
  users: z.array(z.string()).optional(),
  topic: z.string().optional(),
  tags: TagRule.optional(),
})

/** Who is meant by a target other than one person. */
export type Audience = z.infer<typeof Audience>

/** When a message is not to come, by the clock of each person: from one time of day (HH:MM) to another. */
export const QuietHours = z.object({ from: z.string(), to: z.string(), time_zone: z.string() })

/** When a message is not to come. */
export type QuietHours = z.infer<typeof QuietHours>
