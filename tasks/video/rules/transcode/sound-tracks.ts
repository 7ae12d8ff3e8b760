import type { AudioTrack, LeftOutTrack, Probe } from './media.ts'

export const maxAudioTracks = 8

export const listAudioTracks = ({ audio, moreAudio = [] }: Probe): AudioTrack[] => (audio ? [audio, ...moreAudio] : [])

export const soundName = (place: number): string => (place === 0 ? 'audio' : `audio_${place + 1}`)

export const soundFile = (place: number): string => `${soundName(place)}.mp4`

export function toLeftOut({ number = 1, language, title }: AudioTrack, reason: LeftOutTrack['reason']): LeftOutTrack {
  return { kind: 'audio', track: number, language: language ?? null, name: title ?? null, reason }
}

export interface Sound {
  place: number
  language: string | null
  title: string | null
}

/** Returns the audio tracks to package. A video always keeps its first track, even if the track is silent. */
export function selectAudioTracks(probe: Probe, without: readonly LeftOutTrack[] = []): Sound[] {
  return listAudioTracks(probe).flatMap(({ number, language, title }, place) => {
    const isOut = place > 0 && without.some(({ kind, track }) => kind === 'audio' && track === number)
    return isOut ? [] : [{ place, language: language ?? null, title: title ?? null }]
  })
}
