import { z } from 'zod'

/** URL of an image or a web page. */
const httpsUrl = z.url({ protocol: /^https$/, error: 'must be an https:// URL' }).max(2_048)

export const image = httpsUrl

const word = z.string().min(1).max(100)
const badge = z.int().min(0).max(99_999)

const Action = z.strictObject({
  action: word.describe('Identifies the selected action in the app'),
  title: z.string().min(1).max(100),
  icon: httpsUrl.optional(),
  url: httpsUrl.optional().describe('URL to open when the user selects the action'),
})

/** APNs push types, except the types for device management. */
const pushTypes = [
  ...['alert', 'background', 'voip', 'complication', 'location', 'fileprovider', 'liveactivity', 'pushtotalk'],
  'widgets',
] as const

const colour = (text: string): boolean =>
  text.length === 7 &&
  text.startsWith('#') &&
  [...text.slice(1).toLowerCase()].every((c) => '0123456789abcdef'.includes(c))

/** Parts of a message in addition to its text. Some are for all platforms, others for one platform. */
export const PlatformParts = {
  actions: z.array(Action).max(3).optional().describe('Buttons, up to 3. iOS shows the buttons of its `category`.'),
  badge: badge.optional().describe('Number on the app icon. 0 removes it.'),
  sound: word.optional().describe('`default`, or a sound file of the app'),
  ios: z
    .strictObject({
      image: image.optional(),
      badge: badge.optional(),
      sound: word.optional(),
      category: word.optional().describe('Category that defines the buttons in the app'),
      thread_id: word.optional().describe('Notifications with the same thread ID are grouped'),
      push_type: z
        .enum(pushTypes)
        .optional()
        .describe('Header `apns-push-type`. Default: `alert`, or `background` for silent messages.'),
    })
    .optional(),
  android: z
    .strictObject({
      image: image.optional(),
      sound: word.optional(),
      channel_id: word.optional().describe('Notification channel of the app'),
      icon: word.optional(),
      color: z.string().refine(colour, 'must be a colour, such as #3366ff').optional(),
    })
    .optional(),
  web: z
    .strictObject({
      image: image.optional(),
      icon: httpsUrl.optional(),
      badge: httpsUrl.optional().describe('URL of the small image that replaces the icon where space is limited'),
      url: httpsUrl.optional().describe('URL to open when the user clicks the notification'),
    })
    .optional(),
}
