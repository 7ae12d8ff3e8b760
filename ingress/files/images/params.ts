import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { fits, formats, maxSide, plain, positions, type Transformation } from '#tasks/files/rules/images/recipe.ts'
import { parseWithFaults } from '../../http/request/issues.ts'

/** Parameters of one result. Their values are those of the query. */
const parameters = ['w', 'h', 'fit', 'position', 'background', 'format', 'q', 'enlarge', 'animated'] as const

const others = ['dpr', 'preset', 'image', 'unoptimised'] as const

export type GivenParams = Readonly<Record<string, readonly string[]>>

/** Returns the parameters of a request that are about images. `null` if it has none. */
export function readGivenParams(query: URLSearchParams): GivenParams | null {
  const names = [...parameters, ...others].filter((name) => query.has(name))
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, query.getAll(name)]))
}

const integer = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be an integer from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`)

const flag = z.enum(['true', 'false'], { error: 'must be true or false' }).transform((value) => value === 'true')

const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` })

const Dpr = z
  .string()
  .regex(/^[1-4](\.[05])?$/, 'must be a number from 1 to 4 in steps of 0.5')
  .transform(Number)
  .refine((value) => value <= 4, 'must be at most 4')

export const presetName = /^[a-z0-9][a-z0-9_-]{0,39}$/

const Query = z.object({
  w: integer(1, maxSide).optional(),
  h: integer(1, maxSide).optional(),
  fit: choice(fits).optional(),
  position: choice(positions).optional(),
  background: z
    .string()
    .regex(/^[0-9a-f]{6}$/i, 'must be a colour of six hex digits without #, such as ffffff')
    .transform((colour) => colour.toLowerCase())
    .optional(),
  format: choice(formats).optional(),
  q: integer(1, 100).optional(),
  enlarge: flag.optional(),
  animated: flag.optional(),
  dpr: Dpr.default(1),
  preset: z.string().regex(presetName, 'must be the name of a preset').optional(),
  image: z.string().max(2_000).optional(),
  unoptimised: flag.optional(),
})

type Parsed = z.output<typeof Query>

export type Asked = { dpr: number } & (
  | { kind: 'original' }
  | { kind: 'preset'; preset: string }
  | { kind: 'signed'; token: string }
  | { kind: 'free'; transformation: Transformation }
)

/** Parses the parameters. Throws 400 with every invalid one. */
export function parseParams(given: GivenParams): Asked {
  const faults: Fault[] = []
  for (const [name, values] of Object.entries(given)) {
    if (values.length > 1) faults.push({ field: `query.${name}`, issue: 'must occur once' })
  }
  const single = Object.fromEntries(Object.entries(given).map(([name, [value]]) => [name, value]))
  const parsed = parseWithFaults(Query, single, 'query', faults) as Parsed
  if (faults.length === 0) faults.push(...combinationFaults(parsed))
  if (faults.length > 0) throw badRequest(faults)
  return askedBy(parsed)
}

function combinationFaults(parsed: Parsed): Fault[] {
  const free = parameters.filter((name) => parsed[name] !== undefined)
  const owner = parsed.preset === undefined ? (parsed.image === undefined ? null : 'image') : 'preset'
  const faults = owner === null ? [] : free.map((name) => together(name, owner))
  if (parsed.preset !== undefined && parsed.image !== undefined) faults.push(together('image', 'preset'))
  for (const name of ['w', 'h'] as const) {
    if ((parsed[name] ?? 0) * parsed.dpr > maxSide)
      faults.push({
        field: `query.${name}`,
        issue: `must be at most ${maxSide} pixels after multiplication by \`dpr\``,
      })
  }
  return faults
}

const together = (name: string, owner: string): Fault => ({
  field: `query.${name}`,
  issue: `cannot be combined with \`${owner}\``,
})

function askedBy({ unoptimised, preset, image, dpr, ...free }: Parsed): Asked {
  if (unoptimised) return { kind: 'original', dpr }
  if (preset !== undefined) return { kind: 'preset', preset, dpr }
  if (image !== undefined) return { kind: 'signed', token: image, dpr }
  return { kind: 'free', dpr, transformation: transformationOf(free) }
}

function transformationOf({
  w,
  h,
  q,
  ...given
}: Omit<Parsed, 'unoptimised' | 'preset' | 'image' | 'dpr'>): Transformation {
  return {
    width: w ?? plain.width,
    height: h ?? plain.height,
    fit: given.fit ?? plain.fit,
    position: given.position ?? plain.position,
    background: given.background ?? plain.background,
    format: given.format ?? plain.format,
    quality: q ?? plain.quality,
    enlarge: given.enlarge ?? plain.enlarge,
    animated: given.animated ?? plain.animated,
  }
}
