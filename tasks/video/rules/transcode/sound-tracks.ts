import type { AudioTrack, LeftOutTrack, Probe } from './media.ts'

/** Sound tracks of an upload that viewers may choose from. */
export const mostSounds = 8

/** All sound tracks of a file, the one that is played by default first. */
export const soundTracks = ({ audio, moreAudio = [] }: Probe): AudioTrack[] => (audio ? [audio, ...moreAudio] : [])

/** The name of a sound track's rendition, by its place among them. */
export const soundName = (place: number): string => (place === 0 ? 'audio' : `audio_${place + 1}`)

/** The file name of an encoded sound track, by its place. */
export const soundFile = (place: number): string => `${soundName(place)}.mp4`

/** What the owner is told of a track that is left out. */
export function leftOut({ number = 1, language, title }: AudioTrack, reason: LeftOutTrack['reason']): LeftOutTrack {
  return { kind: 'audio', track: number, language: language ?? null, name: title ?? null, reason }
}

/** A sound track as it is packaged. */
export interface Sound {
  /** Which of the file's tracks, as `soundTracks` lists them. */
  place: number
  language: string | null
  title: string | null
}

/** The sound tracks of a file that are packaged: a film is never without its first, if that is silence. */
export function soundsOf(probe: Probe, without: readonly LeftOutTrack[] = []): Sound[] {
  return soundTracks(probe).flatMap(({ number, language, title }, place) => {
    const isOut = place > 0 && without.some(({ kind, track }) => kind === 'audio' && track === number)
    return isOut ? [] : [{ place, language: language ?? null, title: title ?? null }]
  })
}
