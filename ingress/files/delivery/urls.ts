import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { filesUrl } from '../../http/hosts.ts'

/** Returns the base URL of files: the host of files, or the public URL. */
export const getFilesBase = (origin: string): string =>
  filesUrl?.href.replace(/(?<!\/)\/+$/, '') ?? getPublicBase(origin)

export const getFilePath = (objectId: string, filename: string): string =>
  `/f/${objectId}/${encodeURIComponent(filename)}`

export const getFileUrl = (origin: string, objectId: string, filename: string): string =>
  getFilesBase(origin) + getFilePath(objectId, filename)
