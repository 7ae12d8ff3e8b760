import type { EngineCall } from '#tasks/video/engine.ts'
import type { MediaTools } from './media-tools.ts'
import { untrusted } from './untrusted.ts'

/** What a file says of a sound track. */
export interface SoundTags {
  /** BCP 47. */
  language: string | null
  title: string | null
}

const mostTitle = 100

/** Codes by which files say that a track has no language, or none that is known. */
const noLanguage = new Set(['und', 'mis', 'mul', 'zxx'])

/** A language as BCP 47 has it, from that or from ISO 639-2, in which MP4 and Matroska tell it; null for none. */
export function languageOf(tag: string | undefined): string | null {
  try {
    const [language = ''] = Intl.getCanonicalLocales(tag?.replaceAll('_', '-') ?? '')
    return language === '' || noLanguage.has(language) ? null : language
  } catch {
    return null
  }
}

/** Reads languages and titles of a file's sound tracks, by their stream indexes. */
export async function soundTags(tools: MediaTools, input: string, call: EngineCall): Promise<Map<number, SoundTags>> {
  const found = new Map<number, { language?: string; title?: string }>()
  let tags: { language?: string; title?: string } = {}
  // A line each, so that a tag of megabytes, which is cut off, takes no other along.
  const lines = ['-of', 'default=nw=1', '-show_entries', 'stream=index:stream_tags=language,title']
  await tools.ffprobe(['-select_streams', 'a', ...lines], untrusted(input), {
    call,
    timeout: 60_000,
    onOutput: (line) => {
      const [, key, value = ''] = /^(?:TAG:)?(index|language|title)=(.*)$/.exec(line) ?? []
      if (key === 'index') {
        tags = {}
        found.set(Number(value), tags)
      } else if (key === 'language' || key === 'title') tags[key] ??= value
    },
  })
  return new Map(
    [...found].map(([index, { language, title }]) => [
      index,
      { language: languageOf(language), title: title?.trim().slice(0, mostTitle) || null },
    ]),
  )
}
