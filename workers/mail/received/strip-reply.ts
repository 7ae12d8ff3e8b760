/** Characters that are looked at: what people write is shorter. */
const most = 100_000

/** How programs begin and end the line above what they quote, by language. */
const openings = ['On ', 'Am ', 'Le ', 'El ', 'Il ', 'Op ', 'Em ', 'Den ', 'Dnia ', 'W dniu ']
const endings = [
  'wrote:',
  'schrieb:',
  'a écrit :',
  'a écrit:',
  'escribió:',
  'ha scritto:',
  'schreef:',
  'escreveu:',
  'skrev:',
  'napisał:',
  'napisał(a):',
]

/** The fields with which Outlook begins what it quotes: the first, then one of the others within four lines. */
const firstFields = ['From:', 'Von:', 'De:', 'Da:', 'Van:', '*From:*']
const furtherFields = [
  'Sent:',
  'Gesendet:',
  'Envoyé',
  'Enviado',
  'Inviato:',
  'Verzonden:',
  'Date:',
  '*Sent:*',
  '*Date:*',
]

/** What phones put below a text. */
const footers = ['Sent from my ', 'Get Outlook for ', 'Von meinem ', 'Envoyé de mon ', 'Gesendet von ']

/**
 * The text of a reply without what it quotes, and without a signature behind `-- `; null when nothing is left. Looks at each line
 * a few times at most.
 */
export function stripReply(text: string): string | null {
  const lines = text.slice(0, most).replaceAll('\r', '').split('\n')
  const written = withoutQuotes(lines.slice(0, endOf(lines)))
  const footer = written.findLastIndex((line) => line.trim() !== '')
  if (footers.some((begin) => written[footer]?.startsWith(begin))) written.length = footer
  const left = written.join('\n').trim()
  return left === '' ? null : left
}

const isQuoted = (line: string | undefined): boolean => line?.trimStart().startsWith('>') ?? false

/** The line from which on nothing is the reply any more; undefined when it goes on to the end. */
function endOf(lines: readonly string[]): number | undefined {
  const last = lines.findIndex((_, i) => endsHere(lines, i))
  return last < 0 ? undefined : (openingOf(lines, last) ?? last)
}

/** Whether all that follows, or this line too, is no longer the reply. */
function endsHere(lines: readonly string[], i: number): boolean {
  const line = (lines[i] as string).trim()
  if (line === '--' && i > 0) return true
  if (isDivider(line)) return true
  if (firstFields.some((name) => line.startsWith(name)))
    return lines.slice(i + 1, i + 5).some((next) => furtherFields.some((name) => next.trim().startsWith(name)))
  if (!endings.some((ending) => line.endsWith(ending))) return false
  // Where the quote is marked it alone goes, as the answer may stand below it.
  const next = lines.slice(i + 1, i + 6).find((each) => each.trim() !== '')
  return openingOf(lines, i) !== undefined && next !== undefined && !isQuoted(next)
}

/** `-----Original Message-----` and its like: words between three dashes or more. */
function isDivider(line: string): boolean {
  if (!line.startsWith('---') || !line.endsWith('---') || line.length > 100) return false
  return [...line].some((letter) => letter !== '-' && letter !== ' ')
}

/** Where the line above a quote begins, which programs break into two or three; undefined when it is none. */
function openingOf(lines: readonly string[], last: number): number | undefined {
  for (let i = last; i >= 0 && i > last - 3; i--)
    if (openings.some((opening) => lines[i]?.trimStart().startsWith(opening))) return i
  return undefined
}

/** The lines that are not marked as quoted, without the one above each quote that says whose it is. */
function withoutQuotes(lines: readonly string[]): string[] {
  const kept: string[] = []
  for (const [i, line] of lines.entries()) {
    if (!isQuoted(line)) kept.push(line)
    else if (!isQuoted(lines[i - 1])) dropAttribution(kept)
  }
  return kept
}

/** Drops the line above a quote that says whose it is; one blank line may stand between. */
function dropAttribution(kept: string[]): void {
  const last = kept.length - (kept.at(-1)?.trim() === '' ? 2 : 1)
  const line = kept[last]?.trim() ?? ''
  if (!line.endsWith(':') || line.length > 300) return
  const opening = openingOf(kept, last)
  if (opening !== undefined) kept.length = opening
  else if (endings.some((ending) => line.endsWith(ending))) kept.length = last
}
