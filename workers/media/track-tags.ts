import type { EngineCall } from '#tasks/video/engine.ts'
import type { Input } from './command.ts'
import type { MediaTools } from './media-tools.ts'

export interface TrackTags {
  /** BCP 47. */
  language: string | null
  title: string | null
  /** Length in seconds, which Matroska stores as a tag. 0 if unknown. */
  seconds: number
}

const mostTitle = 100

/** Language codes that mean no language or an unknown language. */
const noLanguage = new Set(['und', 'mis', 'mul', 'zxx'])

/**
 * Returns a BCP 47 language. Accepts BCP 47 and ISO 639-2, which MP4 and Matroska use. Returns `null` for no language.
 */
export function languageOf(tag: string | undefined): string | null {
  try {
    const [language = ''] = Intl.getCanonicalLocales(tag?.replaceAll('_', '-') ?? '')
    return language === '' || noLanguage.has(language) ? null : language
  } catch {
    return null
  }
}

/** Parses a Matroska duration such as `00:01:30.500000000`. Returns seconds, or 0 for other text. */
function secondsOf(length: string | undefined): number {
  const [, hours, minutes, seconds] = /^(\d{1,4}):(\d\d):(\d\d(?:\.\d{1,9})?)$/.exec(length?.trim() ?? '') ?? []
  return seconds ? Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) : 0
}

type Tags = Partial<Record<'language' | 'title' | 'DURATION', string>>

export async function trackTags(tools: MediaTools, input: Input, call: EngineCall): Promise<Map<number, TrackTags>> {
  const found = new Map<number, Tags>()
  let tags: Tags = {}
  // Prints one line per tag, so that a truncated tag of megabytes does not affect other tags.
  const lines = ['-of', 'default=nw=1', '-show_entries', 'stream=index:stream_tags=language,title,DURATION']
  await tools.ffprobe(lines, input, {
    call,
    timeout: 300_000,
    onOutput: (line) => {
      const [, key, value = ''] = /^(?:TAG:)?(index|language|title|DURATION)=(.*)$/.exec(line) ?? []
      if (key === 'index') {
        tags = {}
        found.set(Number(value), tags)
      } else if (key === 'language' || key === 'title' || key === 'DURATION') tags[key] ??= value
    },
  })
  return new Map(
    [...found].map(([index, { language, title, DURATION: length }]) => [
      index,
      { language: languageOf(language), title: title?.trim().slice(0, mostTitle) || null, seconds: secondsOf(length) },
    ]),
  )
}
