import { z } from 'zod'

/** Longest side of a result in pixels, after `dpr`. */
export const maxSide = 4_096

export const fits = ['inside', 'cover', 'contain', 'outside', 'fill'] as const

export const positions = [
  'centre',
  'top',
  'bottom',
  'left',
  'right',
  'top-left',
  'top-right',
  'bottom-left',
  'bottom-right',
  'attention',
  'entropy',
] as const

export const formats = ['auto', 'avif', 'webp', 'jpeg', 'png', 'gif'] as const

const Side = z.int().min(1).max(maxSide)

/** Parameters of a transformation as customers write them. `null` means that the engine decides. */
export const Transformation = z.object({
  width: Side.nullable(),
  height: Side.nullable(),
  fit: z.enum(fits),
  position: z.enum(positions),
  background: z.string().nullable(),
  format: z.enum(formats),
  quality: z.int().min(1).max(100).nullable(),
  enlarge: z.boolean(),
  animated: z.boolean(),
})

export type Transformation = z.infer<typeof Transformation>

export const plain: Transformation = {
  width: null,
  height: null,
  fit: 'inside',
  position: 'centre',
  background: null,
  format: 'auto',
  quality: null,
  enlarge: false,
  animated: true,
}

/** Formats of a recipe. The automatic ones name the best format that the client accepts. */
const recipeFormats = ['auto-avif', 'auto-webp', 'auto-old', 'avif', 'webp', 'jpeg', 'png', 'gif'] as const

export const Recipe = Transformation.extend({ format: z.enum(recipeFormats) })

export type Recipe = z.infer<typeof Recipe>

/**
 * Returns the parameters of one result: the sizes in device pixels, and the format that the client accepts. Parameters
 * without an effect get their default, so that equal results have equal recipes. `dpr` never makes a side longer than
 * `maxSide`: a preset can have any size, and clients choose `dpr`.
 */
export function createRecipe(given: Transformation, dpr: number, accept: string): Recipe {
  const scale = Math.min(dpr, maxSide / Math.max(given.width ?? 1, given.height ?? 1))
  const scaled = (side: number | null) => (side === null ? null : Math.max(1, Math.round(side * scale)))
  const hasBox = given.width !== null && given.height !== null
  const fit = hasBox ? given.fit : plain.fit
  const enlarges = given.width !== null || given.height !== null
  return {
    ...given,
    width: scaled(given.width),
    height: scaled(given.height),
    fit,
    position: fit === 'cover' || fit === 'contain' ? given.position : plain.position,
    format: given.format === 'auto' ? bestOf(accept) : given.format,
    enlarge: enlarges && given.enlarge,
  }
}

/** Returns the automatic format for an `Accept` header. A wildcard does not mean that the client knows new formats. */
function bestOf(accept: string): Recipe['format'] {
  if (accepts(accept, 'image/avif')) return 'auto-avif'
  return accepts(accept, 'image/webp') ? 'auto-webp' : 'auto-old'
}

const accepts = (accept: string, type: string): boolean =>
  accept.split(',').some((one) => {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase())
    return name === type && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })

/** Returns the canonical text of a recipe. Defaults are omitted. */
export function writeRecipe(recipe: Recipe): string {
  const fields = Object.keys(Recipe.shape).sort() as (keyof Recipe)[]
  const given = fields.filter((name) => recipe[name] !== (plain as Record<string, unknown>)[name])
  return given.map((name) => `${name}=${recipe[name]}`).join('&')
}

export function readRecipe(text: string): Recipe {
  const given = Object.fromEntries(new URLSearchParams(text))
  const number = (name: string) => (given[name] === undefined ? null : Number(given[name]))
  const flag = (name: 'enlarge' | 'animated') => (given[name] === undefined ? plain[name] : given[name] === 'true')
  return Recipe.parse({
    ...plain,
    ...given,
    width: number('width'),
    height: number('height'),
    quality: number('quality'),
    enlarge: flag('enlarge'),
    animated: flag('animated'),
  })
}
