import type { Chapter } from '#sql/video/chapter.ts'
import { rewriteWebvtt } from '../captions/webvtt.ts'

interface Timed extends Chapter {
  end: number
}

/**
 * Returns the chapters of a part of a video, with times from the start of this part. The chapter that is shown at its
 * start comes first.
 */
export function chaptersWithin(chapters: readonly Chapter[], from: number, to: number): Timed[] {
  return chapters.flatMap(({ start, title }, i) => {
    const end = Math.min(to, chapters[i + 1]?.start ?? to)
    return end <= from || start >= to
      ? []
      : [{ start: round(Math.max(0, start - from)), end: round(end - from), title }]
  })
}

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Writes a WebVTT track of chapters. */
export const chaptersTrack = (chapters: readonly Timed[]): string =>
  rewriteWebvtt(chapters.map(({ start, end, title }) => ({ from: start, to: end, settings: '', text: escaped(title) })))

/** Writes the chapters in the JSON format of Apple's players. */
export const chaptersJson = (chapters: readonly Timed[]): string =>
  JSON.stringify(
    chapters.map(({ start, end, title }, i) => ({
      chapter: i + 1,
      'start-time': start,
      duration: round(end - start),
      titles: [{ language: 'und', title }],
    })),
  )

/** Adds the chapters to a master playlist. */
export const addChapters = (master: string): string =>
  master.replace(
    /^#EXT-X-INDEPENDENT-SEGMENTS$/m,
    '$&\n#EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.chapters",URI="chapters.json"\n#EXT-X-SESSION-DATA:DATA-ID="millrace.chapters",VALUE="chapters.vtt"',
  )
