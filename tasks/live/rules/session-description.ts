/** Media section of a session description (RFC 8866 5.14). */
export interface MediaSection {
  kind: string
  mid: string | undefined
  payloads: readonly string[]
  direction: string
  /** True if the section is rejected (port 0 without a bundle). */
  isRejected: boolean
  lines: readonly string[]
}

export interface SessionDescription {
  session: readonly string[]
  media: readonly MediaSection[]
}

export interface OfferedCodec {
  payload: string
  /** Format parameters without the payload type. */
  format: string
}

const directions = ['sendrecv', 'sendonly', 'recvonly', 'inactive']

export const maxSections = 8

/** Parses a session description in one pass. Returns up to eight media sections. */
export function readDescription(sdp: string): SessionDescription {
  const session: string[] = []
  const media: string[][] = []
  for (const end of sdp.split('\n')) {
    const line = end.trimEnd()
    if (line.startsWith('m=')) media.push([line])
    else if (line !== '') (media.at(-1) ?? session).push(line)
  }
  return { session, media: media.slice(0, maxSections).map((lines) => sectionOf(lines, session)) }
}

function sectionOf(lines: readonly string[], session: readonly string[]): MediaSection {
  const [kind = '', port = '', , ...payloads] = (lines[0] ?? '').slice(2).split(' ')
  const said = (all: readonly string[]) => directions.find((name) => all.includes(`a=${name}`))
  return {
    kind,
    mid: findAttribute(lines, 'mid'),
    payloads,
    direction: said(lines) ?? said(session) ?? 'sendrecv',
    isRejected: port === '0' && !lines.includes('a=bundle-only'),
    lines,
  }
}

export function findAttribute(lines: readonly string[], name: string): string | undefined {
  const start = `a=${name}:`
  return lines.find((line) => line.startsWith(start))?.slice(start.length)
}

/**
 * Returns the first codec of a section with this name and clock (for example `H264/90000`) whose format parameters fit.
 */
export function findCodec(
  { payloads, lines }: MediaSection,
  name: string,
  fits: (format: string) => boolean = () => true,
): OfferedCodec | undefined {
  const wanted = name.toLowerCase()
  const mapped = new Map(valuesOf(lines, 'rtpmap'))
  const formats = new Map(valuesOf(lines, 'fmtp'))
  for (const payload of payloads) {
    const encoding = mapped.get(payload)?.toLowerCase()
    const format = formats.get(payload) ?? ''
    if ((encoding === wanted || encoding?.startsWith(`${wanted}/`)) && fits(format)) return { payload, format }
  }
  return undefined
}

function valuesOf(lines: readonly string[], name: string): [string, string][] {
  const start = `a=${name}:`
  return lines.flatMap((line): [string, string][] => {
    if (!line.startsWith(start)) return []
    const at = line.indexOf(' ')
    return at < 0 ? [] : [[line.slice(start.length, at), line.slice(at + 1).trim()]]
  })
}
