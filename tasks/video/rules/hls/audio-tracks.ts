/** Audio track of a master playlist (RFC 8216 4.3.4.1). */
export interface ListedSound {
  playlist: string
  name: string | null
  language: string | null
}

const attribute = (line: string, name: string): string | null =>
  new RegExp(`[:,]${name}="([^"]*)"`).exec(line)?.[1] ?? null

export function listSounds(master: string): ListedSound[] {
  return master.split('\n').flatMap((line) => {
    const playlist = line.startsWith('#EXT-X-MEDIA:TYPE=AUDIO,') && attribute(line, 'URI')
    return playlist ? [{ playlist, name: attribute(line, 'NAME'), language: attribute(line, 'LANGUAGE') }] : []
  })
}
