import type { FileObject } from '#sql/files/objects.ts'

/** Types of which variants are made. SVG is not drawn, because it can name other files and scripts. */
export const transformableTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'] as const

/** Maximum size of a source in bytes. The engine reads it into memory. */
export const maxSourceBytes = 64 * 2 ** 20

export const isTransformable = ({ sniffed_type, byte_size }: Pick<FileObject, 'sniffed_type' | 'byte_size'>): boolean =>
  transformableTypes.some((type) => type === sniffed_type) && byte_size <= maxSourceBytes
