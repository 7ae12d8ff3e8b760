import type { FileObject } from '#sql/files/objects.ts'

/** What previews are made of, by the type that the bytes tell. */
export const previewTypes = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/bmp',
] as const

export type PreviewType = (typeof previewTypes)[number]

/** Bytes of an object that is fetched for a preview. */
export const mostPreviewBytes = 256 * 2 ** 20

/** What an object is to a preview; undefined for what none is made of. */
export const previewTypeOf = ({ sniffed_type }: Pick<FileObject, 'sniffed_type'>): PreviewType | undefined =>
  previewTypes.find((type) => type === sniffed_type)
