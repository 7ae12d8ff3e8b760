import { resolve } from 'node:path'
import type { Input } from './command.ts'

/** Largest picture we decode, in pixels: 8K (7680x4320) with room for its padding. */
export const maxPixels = 8192 * 4352

/** Maximum number of tracks: an MP4 of 900 took 1.4 GB to read (measured), and recorders write 32 at most. */
const maxStreams = 128

// Playlists and lists of files are not among them: an HLS playlist named x.mp4 reads local files even with only the protocol
// whitelist (measured), and so does ffconcat. SVG and numbered images are kept out too.
const videos = 'mov,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg,mxf,dv,gif,apng'
const sounds = 'wav,w64,mp3,aac,flac,aiff,caf,ac3,eac3,dts,amr,au,wv,tta'
const containers = `${videos},${sounds}`

/** A path as ffmpeg takes it literally, whatever characters it has. */
export const fileUrl = (path: string): string => `file:${resolve(path)}`

/** What opens local files alone, and only of the named formats: a demuxer that `-f` names may open others that it does not. */
export const filesOnly = (formats: string): string[] => ['-protocol_whitelist', 'file', '-format_whitelist', formats]

const open = (formats: string, path: string): Input => ({
  source: fileUrl(path),
  options: [...filesOnly(formats), ...['-max_pixels', String(maxPixels), '-max_streams', String(maxStreams)]],
})

/** An uploaded file as an input: local files only, whitelisted containers only, pictures of limited size. */
export const untrusted = (path: string): Input => open(containers, path)

/** A mezzanine as an input: we wrote the container, its tracks are still untrusted. */
export const fromMezzanine = (path: string): Input => open('mov,matroska', path)
