import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpeg } from '../ffmpeg.ts'
import { film, h264, numbered } from '../sources.ts'
import { type Case, small } from './case.ts'

const text = (name: string, file: string, of: (secret: string) => string): Case => ({
  ...small,
  name,
  file,
  ends: ['not_media'],
  async make(path, folder) {
    const secret = await film(join(folder, 'secret.ts'), numbered('25', 2))
    await writeFile(path, of(secret))
  },
})

const playlist = (uri: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${uri}\n#EXT-X-ENDLIST\n`

/** A film in a container, with another's ending to its name. */
const renamed = (name: string, file: string, format: string, codec = [...h264, '-c:a', 'aac']): Case => ({
  ...small,
  name,
  file,
  ends: ['ready'],
  make: (path) =>
    ffmpeg(
      ...['-f', 'lavfi', '-i', numbered('25', 2), '-f', 'lavfi', '-i', 'sine', '-t', '2', ...codec],
      ...['-f', format, path],
    ),
})

/** Files that say they are something else. */
export const disguised: readonly Case[] = [
  renamed('MP4 named .avi', 'a.avi', 'mp4'),
  renamed('MP4 named .txt', 'a.txt', 'mp4'),
  renamed('MP4 named .m3u8', 'a.m3u8', 'mp4'),
  renamed('MP4 without an ending', 'a', 'mp4'),
  renamed('Matroska named .mp4', 'b.mp4', 'matroska'),
  renamed('MPEG-TS named .mov', 'b.mov', 'mpegts'),
  renamed('WebM named .mp3', 'b.mp3', 'webm', ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus']),
  text('a playlist of a file', 'c.mp4', (secret) => playlist(`file://${secret}`)),
  text('a playlist named as one', 'c.m3u8', () => playlist('secret.ts')),
  text('a playlist of the network', 'd.mp4', () => playlist('http://127.0.0.1:1/x.ts')),
  text('a list of files', 'e.mp4', (secret) => `ffconcat version 1.0\nfile ${secret}\n`),
  text('an SVG', 'f.mp4', (s) => `<svg xmlns="http://www.w3.org/2000/svg"><image href="file://${s}"/></svg>`),
  text('an SVG named as one', 'f.svg', (s) => `<svg xmlns="http://www.w3.org/2000/svg"><image href="${s}"/></svg>`),
  text('a DASH manifest', 'g.mp4', (s) => `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>${s}</BaseURL></MPD>`),
  text('a session description', 'h.sdp', () => 'v=0\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n'),
  text('subtitles', 'i.mp4', () => '1\n00:00:01,000 --> 00:00:02,000\nHello\n'),
  text('metadata of ffmpeg', 'j.mp4', () => ';FFMETADATA1\ntitle=x\n'),
]
