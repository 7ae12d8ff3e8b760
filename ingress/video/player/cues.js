// Parses the times and texts of WebVTT cues (https://www.w3.org/TR/webvtt1/#webvtt-file-body).

/** Returns the seconds of a time such as `1:02:03.500`, or `NaN` for any other string. */
export function secondsOf(clock) {
  const parts = clock.split(':')
  if (parts.length > 3 || parts.some((part) => part === '' || [...part].some((c) => !'0123456789.'.includes(c))))
    return Number.NaN
  return parts.reduce((sum, part) => sum * 60 + Number(part), 0)
}

function cueOf(block) {
  const lines = block.split('\n')
  const at = lines.findIndex((line) => line.includes('-->'))
  if (at < 0) return []
  const [from, rest] = lines[at].split('-->')
  const [start, end] = [secondsOf(from.trim()), secondsOf(rest.trim().split(/\s/)[0])]
  const text = lines
    .slice(at + 1)
    .join(' ')
    .trim()
  return Number.isFinite(start) && Number.isFinite(end) && text !== '' ? [{ start, end, text }] : []
}

const characters = new Map(Object.entries({ '&amp;': '&', '&lt;': '<', '&gt;': '>' }))

/** Returns the text that a cue shows: its escaped characters are replaced. */
export const plainOf = (text) => text.replaceAll(/&(?:amp|lt|gt);/g, (escaped) => characters.get(escaped) ?? escaped)

export const cuesOf = (text) =>
  text
    .replaceAll('\r\n', '\n')
    .split('\n\n')
    .flatMap(cueOf)
    .sort((a, b) => a.start - b.start)
