/** What `next/image` passes to a loader. */
export interface ImageLoaderProps {
  /** URL of the file, such as `https://example.com/f/<id>/photo.jpg`. It can already have parameters. */
  src: string
  /** Width in device pixels. */
  width: number
  /** Quality, 1 to 100. Default: the default of the format. */
  quality?: number | undefined
}

export type ImageLoader = (props: ImageLoaderProps) => string

/** Longest side of an image that Millrace makes, in pixels. */
const maxWidth = 4_096

/**
 * Loader for `next/image`: returns the URL of the image in the width that the page needs. The server selects the format.
 * Parameters of `src` stay, except for the width and quality.
 */
export const imageLoader: ImageLoader = ({ src, width, quality }) =>
  withParameters(src, { w: String(Math.min(width, maxWidth)), ...(quality !== undefined && { q: String(quality) }) })

/**
 * Returns a loader for an organisation that allows only presets. `presets` has the width of each preset by its name. The
 * loader uses the narrowest preset that is wide enough, or the widest.
 */
export function createPresetLoader(presets: Readonly<Record<string, number>>): ImageLoader {
  const byWidth = Object.entries(presets).sort(([, a], [, b]) => a - b)
  const widest = byWidth.at(-1)
  if (!widest) throw new TypeError('Name at least one preset.')
  return ({ src, width }) => {
    const [preset] = byWidth.find(([, wide]) => wide >= width) ?? widest
    return withParameters(src, { preset })
  }
}

/** Sets query parameters of an absolute or relative URL. */
function withParameters(src: string, parameters: Readonly<Record<string, string>>): string {
  const [, path = '', query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/.exec(src) ?? []
  const all = new URLSearchParams(query)
  for (const [name, value] of Object.entries(parameters)) all.set(name, value)
  return `${path}?${all}${hash}`
}
