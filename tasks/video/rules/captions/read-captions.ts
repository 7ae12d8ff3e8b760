import { normaliseCaptionText } from './caption-text.ts'
import type { WrittenCue } from './webvtt.ts'

/** Maximum number of cues, and of characters of a cue. A video of three hours has about 3,000 cues. */
const [mostCues, longestCue] = [20_000, 1_000]

/**
 * Maximum number of cues shown at the same time, and of their characters. Each cue is stored in every segment during
 * which it is shown.
 */
const [mostAtOnce, charactersAtOnce] = [20, 2_000]

/** Thrown if captions cannot be parsed. `message` names the line for the author. */
export class BadCaptionsError extends Error {
  override name = 'BadCaptionsError'
}

export function readCaptions(text: string): WrittenCue[] {
  const lines = text.replace('\u{FEFF}', '').replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n')
  const isVtt = /^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? '')
  const cues: WrittenCue[] = []
  for (let at = isVtt ? afterHeader(lines) : 0; at < lines.length; ) {
    if (lines[at]?.trim() === '') {
      at++
      continue
    }
    const end = blockEnd(lines, at)
    const cue = readBlock(lines, at, end, isVtt)
    if (cue && cue.text !== '') cues.push(cue)
    if (cues.length > mostCues) throw new BadCaptionsError(`must have up to ${mostCues} cues`)
    at = end
  }
  if (cues.length === 0) throw new BadCaptionsError('must be WebVTT or SRT with at least one cue that has text')
  const sorted = cues.sort((a, b) => a.from - b.from || a.to - b.to)
  demandFew(sorted)
  return sorted
}

function demandFew(sorted: readonly WrittenCue[]): void {
  let shown: WrittenCue[] = []
  for (const cue of sorted) {
    shown = shown.filter(({ to }) => to > cue.from)
    shown.push(cue)
    const characters = shown.reduce((sum, { text }) => sum + text.length, 0)
    if (characters > charactersAtOnce)
      throw new BadCaptionsError(
        `must show up to ${charactersAtOnce} characters at the same time, but shows more at ${cue.from} s`,
      )
    if (shown.length > mostAtOnce)
      throw new BadCaptionsError(`must show up to ${mostAtOnce} cues at the same time, but shows more at ${cue.from} s`)
  }
}

/** Text before the first empty line is not a cue (WebVTT 4.1). */
function afterHeader(lines: string[]): number {
  const end = lines.findIndex((line) => line.trim() === '')
  return end < 0 ? lines.length : end
}

function blockEnd(lines: string[], from: number): number {
  for (let at = from; at < lines.length; at++) if (lines[at]?.trim() === '') return at
  return lines.length
}

/** Notes, styles and regions are removed, because they only affect the web page’s own player. */
const isNoCue = (line: string): boolean => /^(?:NOTE|STYLE|REGION)(?:[ \t]|$)/.test(line)

function readBlock(lines: string[], from: number, end: number, isVtt: boolean): WrittenCue | undefined {
  if (isVtt && isNoCue(lines[from] as string)) return undefined
  // An identifier or a number can precede the times.
  const at = lines[from]?.includes('-->') ? from : from + 1
  const line = lines[at] ?? ''
  const arrow = line.indexOf('-->')
  if (at >= end || arrow < 0)
    throw new BadCaptionsError(`must have times on line ${Math.min(at, end - 1) + 1}, where a cue starts`)
  const [start, stop = '', ...settings] = [
    line.slice(0, arrow).trim(),
    ...line
      .slice(arrow + 3)
      .trim()
      .split(/[ \t]+/),
  ]
  const [cueFrom, cueTo] = [secondsOf(start as string), secondsOf(stop)]
  if (cueFrom === undefined || cueTo === undefined)
    throw new BadCaptionsError(`must have times such as 00:01:02.500 --> 00:01:04.000 on line ${at + 1}`)
  if (cueTo <= cueFrom) throw new BadCaptionsError(`must not have a cue on line ${at + 1} that ends before it starts`)
  const written = lines.slice(at + 1, end).join('\n')
  if (written.length > longestCue)
    throw new BadCaptionsError(`must not have a cue on line ${at + 1} with more than ${longestCue} characters`)
  const text = normaliseCaptionText(written)
    .split('\n')
    .map((one) => one.trim())
    .filter(Boolean)
    .join('\n')
  return { from: cueFrom, to: cueTo, settings: isVtt ? settingsOf(settings) : '', text }
}

const isDigits = (text: string, least: number, most: number) =>
  text.length >= least && text.length <= most && [...text].every((digit) => digit >= '0' && digit <= '9')

/** Parses `hh:mm:ss.mmm` or `mm:ss.mmm`, with a comma in SRT; returns seconds. */
function secondsOf(text: string): number | undefined {
  const [clock = '', ms = '', more] = text.replace(',', '.').split('.')
  const parts = clock.split(':')
  const [s = '', m = '', h = '0', tooMany] = parts.toReversed()
  if (more !== undefined || tooMany !== undefined || parts.length < 2) return undefined
  if (!isDigits(h, 1, 3) || !isDigits(m, 2, 2) || !isDigits(s, 2, 2) || !isDigits(ms, 1, 3)) return undefined
  if (Number(m) > 59 || Number(s) > 59) return undefined
  return Number(h) * 3600 + Number(m) * 60 + Number(s) + Number(ms.padEnd(3, '0')) / 1000
}

const settingNames = new Set(['vertical', 'line', 'position', 'size', 'align'])

/** Returns the position settings of a cue (WebVTT 4.4) that players support. */
function settingsOf(given: readonly string[]): string {
  return given
    .filter((setting) => {
      const [name = '', value = '', more] = setting.split(':')
      return more === undefined && settingNames.has(name) && /^[a-z0-9.,%-]{1,30}$/.test(value)
    })
    .join(' ')
}
