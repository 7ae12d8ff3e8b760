import { isMediaName, type MediaName } from './media-limits.ts'

export interface NamedFile {
  /** For example, `image.object_id` or `components.0.parameters.0.image.object_id`. */
  path: string
  objectId: string
  kind: MediaName
}

/** Returns the objects of the `files` area that a content references, at any depth. The schema limits the depth. */
export function listFiles(content: unknown, path = '', name = ''): NamedFile[] {
  if (Array.isArray(content)) return content.flatMap((one, i) => listFiles(one, joined(path, String(i)), name))
  if (!isFields(content)) return []
  const { object_id } = content
  if (typeof object_id === 'string' && isMediaName(name)) {
    return [{ path: joined(path, 'object_id'), objectId: object_id, kind: name }]
  }
  return Object.entries(content).flatMap(([key, value]) => listFiles(value, joined(path, key), key))
}

/** Replaces each `object_id` by the `id` of the uploaded file. */
export function replaceByUploads(content: unknown, uploads: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(content)) return content.map((one) => replaceByUploads(one, uploads))
  if (!isFields(content)) return content
  const { object_id, ...rest } = content
  const changed = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, replaceByUploads(value, uploads)]),
  )
  const id = typeof object_id === 'string' ? uploads[object_id] : undefined
  return id === undefined ? { ...changed, ...(object_id !== undefined && { object_id }) } : { ...changed, id }
}

const joined = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
