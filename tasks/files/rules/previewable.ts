import type { FileObject } from '#sql/files/objects.ts'

export const previewTypes = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/bmp',
] as const

export type PreviewType = (typeof previewTypes)[number]

/** Maximum size of an object for a preview, in bytes. */
export const maxPreviewBytes = 256 * 2 ** 20

export const getPreviewType = ({ sniffed_type }: Pick<FileObject, 'sniffed_type'>): PreviewType | undefined =>
  previewTypes.find((type) => type === sniffed_type)
