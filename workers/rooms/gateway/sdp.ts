import type { MessageOf } from './messages.ts'
import { RefusalError } from './refusal.ts'

/** Maximum number of sections of an offer. Sections of previously published tracks stay in the offer. */
const mostSections = 32

interface Section {
  kind: string
  mid: string | undefined
  sends: boolean
}

/** Returns the media sections of a session description (RFC 8866 5.14, RFC 9143 for `a=mid`). */
function sectionsOf(sdp: string): Section[] {
  return sdp
    .split(/\r?\nm=/)
    .slice(1)
    .map((text) => {
      const lines = text.split(/\r?\n/)
      const [kind = '', port] = (lines[0] ?? '').split(' ')
      const mid = lines
        .find((line) => line.startsWith('a=mid:'))
        ?.slice(6)
        .trim()
      const direction = lines
        .find((line) => /^a=(sendrecv|sendonly|recvonly|inactive)\s*$/.test(line))
        ?.slice(2)
        .trim()
      const isBundled = lines.some((line) => line.trim() === 'a=bundle-only')
      const isRejected = port === '0' && !isBundled
      return { kind, mid, sends: !isRejected && direction !== 'recvonly' && direction !== 'inactive' }
    })
}

/** Throws if an offer sends media different from the media that its message names. */
export function checkOffer({ sdp, tracks }: MessageOf<'publish'>): void {
  const sections = sectionsOf(sdp)
  const faults: { field: string; issue: string }[] = []
  if (sections.length === 0) faults.push({ field: 'sdp', issue: 'must have a media section' })
  if (sections.length > mostSections)
    faults.push({ field: 'sdp', issue: `must have at most ${mostSections} media sections` })
  tracks.forEach(({ mid, kind }, i) => {
    const section = sections.find((one) => one.mid === mid)
    if (!section?.sends) faults.push({ field: `tracks.${i}.mid`, issue: 'must be sent by the sdp' })
    else if (section.kind !== kind)
      faults.push({ field: `tracks.${i}.kind`, issue: `must be ${section.kind}, as in the sdp` })
    if (tracks.findIndex((one) => one.mid === mid) !== i)
      faults.push({ field: `tracks.${i}.mid`, issue: 'must be unique' })
  })
  for (const { kind, mid, sends } of sections) {
    if (sends && !tracks.some((track) => track.mid === mid))
      faults.push({ field: 'tracks', issue: `must contain ${kind} ${mid ?? 'without a mid'}, which the sdp sends` })
  }
  if (faults.length === 0) return
  const text = faults.map(({ field, issue }) => `${field}: ${issue}`).join('; ')
  throw new RefusalError('bad_request', text, faults)
}
