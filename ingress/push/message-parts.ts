import { z } from 'zod'

/** The address of a picture, or of a page. */
const httpsUrl = z.url({ protocol: /^https$/, error: 'must be an https:// URL' }).max(2_048)

/** A picture that a notification shows. */
export const image = httpsUrl

const word = z.string().min(1).max(100)
const badge = z.int().min(0).max(99_999)

const Action = z.strictObject({
  action: word.describe('By which the app knows what was pressed'),
  title: z.string().min(1).max(100),
  icon: httpsUrl.optional(),
  url: httpsUrl.optional().describe('What is opened'),
})

/** Kinds of push that APNs knows, but for those of a device's management. */
const pushTypes = [
  ...['alert', 'background', 'voip', 'complication', 'location', 'fileprovider', 'liveactivity', 'pushtotalk'],
  'widgets',
] as const

const colour = (text: string): boolean =>
  text.length === 7 &&
  text.startsWith('#') &&
  [...text.slice(1).toLowerCase()].every((c) => '0123456789abcdef'.includes(c))

/** What a message says beside its text: on every platform, and on each of them alone. */
export const PlatformParts = {
  actions: z.array(Action).max(3).optional().describe('Buttons; iOS shows those of its `category`'),
  badge: badge.optional().describe('The number on the app’s icon; 0 takes it away'),
  sound: word.optional().describe('`default`, or a file of the app'),
  ios: z
    .strictObject({
      image: image.optional(),
      badge: badge.optional(),
      sound: word.optional(),
      category: word.optional().describe('By which the app shows its buttons'),
      thread_id: word.optional().describe('Notifications of one thread are grouped'),
      push_type: z.enum(pushTypes).optional().describe('`apns-push-type`; by default alert, or background'),
    })
    .optional(),
  android: z
    .strictObject({
      image: image.optional(),
      sound: word.optional(),
      channel_id: word.optional().describe('The app’s notification channel'),
      icon: word.optional(),
      color: z.string().refine(colour, 'must be a colour, such as #3366ff').optional(),
    })
    .optional(),
  web: z
    .strictObject({
      image: image.optional(),
      icon: httpsUrl.optional(),
      badge: httpsUrl.optional().describe('The small picture where there is no room for the icon'),
      url: httpsUrl.optional().describe('What a click opens'),
    })
    .optional(),
}
