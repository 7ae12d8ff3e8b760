import type * as objects from '#sql/files/objects.ts'

const mib = 1024 * 1024

/**
 * A kind of media with its types at WhatsApp and its maximum size in bytes. If it has no types, all types are allowed.
 */
interface MediaKind {
  types: readonly string[] | undefined
  mostBytes: number
}

const kinds = {
  image: { types: ['image/jpeg', 'image/png'], mostBytes: 5 * mib },
  video: { types: ['video/mp4', 'video/3gpp'], mostBytes: 16 * mib },
  audio: { types: ['audio/aac', 'audio/mp4', 'audio/mpeg', 'audio/amr', 'audio/ogg'], mostBytes: 16 * mib },
  sticker: { types: ['image/webp'], mostBytes: mib / 2 },
  document: { types: undefined, mostBytes: 100 * mib },
} as const satisfies Record<string, MediaKind>

export type MediaName = keyof typeof kinds

export const isMediaName = (type: string): type is MediaName => Object.hasOwn(kinds, type)

/**
 * Returns the maximum size of a kind in bytes
 * (https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media).
 */
export const getMaxBytes = (kind: MediaName): number => kinds[kind].mostBytes

export const removeTypeParameters = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase()

/** Returns the type for sending. It is detected from the bytes if possible. */
export const getSentType = (object: objects.FileObject): string =>
  removeTypeParameters(object.sniffed_type ?? object.content_type)

/**
 * Returns why a file cannot be sent as this kind, as text that follows the field’s name. Undefined if the file can be
 * sent.
 */
export function findMediaFault(kind: MediaName, object: objects.FileObject): string | undefined {
  const { scan_status, held_key, byte_size } = object
  if (scan_status !== 'clean' || held_key === null) return `must be a clean object, but is ${scan_status}`
  const { types, mostBytes }: MediaKind = kinds[kind]
  const type = getSentType(object)
  if (types && !types.includes(type)) return `must be one of ${types.join(', ')} as ${kind}, but is ${type}`
  if (byte_size === 0) return 'must not be empty'
  return byte_size > mostBytes ? `must be at most ${mostBytes} bytes as ${kind}, but has ${byte_size}` : undefined
}
