/** One media section of a session description (RFC 8866 5.14). */
export interface MediaSection {
  kind: string
  mid: string | undefined
  /** Payload types, in the order of preference. */
  payloads: readonly string[]
  direction: string
  /** Whether it is there in name alone (port 0 without a bundle). */
  isRejected: boolean
  lines: readonly string[]
}

/** A session description, as far as it is looked at here. */
export interface SessionDescription {
  session: readonly string[]
  media: readonly MediaSection[]
}

/** A codec as a media section has it. */
export interface OfferedCodec {
  payload: string
  /** Its format parameters, without the payload type. */
  format: string
}

const directions = ['sendrecv', 'sendonly', 'recvonly', 'inactive']

/** Media sections that are read; what has more is no description of a picture and a sound. */
export const mostSections = 8

/** Reads a session description in one pass over its lines; of its media, the first eight. */
export function readDescription(sdp: string): SessionDescription {
  const session: string[] = []
  const media: string[][] = []
  for (const end of sdp.split('\n')) {
    const line = end.trimEnd()
    if (line.startsWith('m=')) media.push([line])
    else if (line !== '') (media.at(-1) ?? session).push(line)
  }
  return { session, media: media.slice(0, mostSections).map((lines) => sectionOf(lines, session)) }
}

function sectionOf(lines: readonly string[], session: readonly string[]): MediaSection {
  const [kind = '', port = '', , ...payloads] = (lines[0] ?? '').slice(2).split(' ')
  const said = (all: readonly string[]) => directions.find((name) => all.includes(`a=${name}`))
  return {
    kind,
    mid: attribute(lines, 'mid'),
    payloads,
    direction: said(lines) ?? said(session) ?? 'sendrecv',
    isRejected: port === '0' && !lines.includes('a=bundle-only'),
    lines,
  }
}

/** The value of the first attribute of a name. */
export function attribute(lines: readonly string[], name: string): string | undefined {
  const start = `a=${name}:`
  return lines.find((line) => line.startsWith(start))?.slice(start.length)
}

/** The first of a section's codecs that has a name and clock (such as `H264/90000`) and whose format fits. */
export function codecOf(
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

/** The values of an attribute that begin with a payload type. */
function valuesOf(lines: readonly string[], name: string): [string, string][] {
  const start = `a=${name}:`
  return lines.flatMap((line): [string, string][] => {
    if (!line.startsWith(start)) return []
    const at = line.indexOf(' ')
    return at < 0 ? [] : [[line.slice(start.length, at), line.slice(at + 1).trim()]]
  })
}
