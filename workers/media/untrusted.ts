import { resolve } from 'node:path'
import type { Input } from './command.ts'

/** Maximum number of pixels of a decoded frame: 8K (7680x4320) with padding. */
export const maxPixels = 8192 * 4352

/** Maximum number of tracks. An MP4 with 900 tracks needed 1.4 GB to read (measured). Recorders write up to 32. */
const maxStreams = 128

// Excludes playlists and file lists: an HLS playlist named x.mp4 reads local files even with the protocol allowlist
// (measured), and so does ffconcat. Also excludes SVG and numbered images.
const videos = 'mov,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg,mxf,dv,gif,apng'
const sounds = 'wav,w64,mp3,aac,flac,aiff,caf,ac3,eac3,dts,amr,au,wv,tta'
const containers = `${videos},${sounds}`

export const fileUrl = (path: string): string => `file:${resolve(path)}`

/**
 * Returns options that allow only local files of the given formats. Both allowlists are needed, because a demuxer
 * chosen with `-f` can open other files.
 */
export const getFileOptions = (formats: string): string[] => [
  '-protocol_whitelist',
  'file',
  '-format_whitelist',
  formats,
]

const open = (formats: string, path: string): Input => ({
  source: fileUrl(path),
  options: [...getFileOptions(formats), ...['-max_pixels', String(maxPixels), '-max_streams', String(maxStreams)]],
})

/** Opens an uploaded file as an input: only local files, only allowed containers, and a limited image size. */
export const openUpload = (path: string): Input => open(containers, path)

/** Opens a mezzanine as an input. Millrace wrote the container, but the tracks are untrusted. */
export const openMezzanine = (path: string): Input => open('mov,matroska', path)
