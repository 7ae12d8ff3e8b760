import { isMediaName, type MediaName } from './media-limits.ts'

/** A file that a content names: where, by which object, and as what. */
export interface NamedFile {
  /** `image.object_id`, `components.0.parameters.0.image.object_id`. */
  path: string
  objectId: string
  kind: MediaName
}

/** Files of the area `files` that a content names, wherever in it; a content is as its form had it, so it is not deep. */
export function filesIn(content: unknown, path = '', name = ''): NamedFile[] {
  if (Array.isArray(content)) return content.flatMap((one, i) => filesIn(one, joined(path, String(i)), name))
  if (!isFields(content)) return []
  const { object_id } = content
  if (typeof object_id === 'string' && isMediaName(name)) {
    return [{ path: joined(path, 'object_id'), objectId: object_id, kind: name }]
  }
  return Object.entries(content).flatMap(([key, value]) => filesIn(value, joined(path, key), key))
}

/** A content as Meta takes it: each `object_id` is the `id` of what was uploaded. */
export function withUploads(content: unknown, uploads: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(content)) return content.map((one) => withUploads(one, uploads))
  if (!isFields(content)) return content
  const { object_id, ...rest } = content
  const changed = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withUploads(value, uploads)]))
  const id = typeof object_id === 'string' ? uploads[object_id] : undefined
  return id === undefined ? { ...changed, ...(object_id !== undefined && { object_id }) } : { ...changed, id }
}

const joined = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
