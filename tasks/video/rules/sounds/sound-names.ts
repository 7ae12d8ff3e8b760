/** Name of the rendition of an added audio track. Its files start with this name. */
export const soundRendition = (soundId: string): string => `sound_${soundId.replaceAll('-', '').slice(-12)}`

export const soundPlaylist = (soundId: string): string => `${soundRendition(soundId)}.m3u8`
