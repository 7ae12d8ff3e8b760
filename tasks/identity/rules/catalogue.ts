import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { config } from '#lib/config.ts'

export const Requirement = z.strictObject({
  key: z.string().regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/),
  title: z.string().min(1),
  type: z.enum(['document', 'selfie', 'address', 'consent', 'face']),
  text: z.string().min(1),
  accepted: z.array(z.string()).min(1).optional(),
  valid_for_days: z.int().min(1).nullable(),
  depends_on: z.array(z.string()),
})

export type Requirement = z.infer<typeof Requirement>

const Catalogue = z
  .strictObject({
    default_product: z.string(),
    requirements: z.array(Requirement).min(1),
    products: z
      .array(
        z.strictObject({
          product: z.string().regex(/^[a-z0-9_-]+$/),
          title: z.string().min(1),
          version: z.int().min(1),
          /** Level of verification. The highest level of a subject's ready products applies. */
          level: z.int().min(1),
          requirements: z.array(z.strictObject({ key: z.string(), required: z.boolean() })).min(1),
        }),
      )
      .min(1),
  })
  .superRefine((file, ctx) => {
    for (const message of contradictions(file)) ctx.addIssue({ code: 'custom', message })
  })

interface CatalogueNames {
  default_product: string
  requirements: readonly Requirement[]
  products: readonly { product: string; requirements: readonly { key: string }[] }[]
}

function contradictions({ default_product, requirements, products }: CatalogueNames): string[] {
  const keys = requirements.map(({ key }) => key)
  const names = products.map(({ product }) => product)
  return [
    ...twice(keys).map((key) => `requirement ${key} exists twice`),
    ...twice(names).map((name) => `product ${name} exists twice`),
    // Entries can depend only on earlier entries, so that cycles are impossible.
    ...requirements.flatMap(({ key, depends_on }, i) =>
      depends_on
        .filter((other) => !keys.slice(0, i).includes(other))
        .map((other) => `${key} depends on ${other}, but no entry before it has this key`),
    ),
    ...products.flatMap(({ product, requirements: asked }) =>
      asked
        .filter(({ key }) => !keys.includes(key))
        .map(({ key }) => `${product} names ${key}, which is not a requirement`),
    ),
    ...(names.includes(default_product) ? [] : [`default_product ${default_product} is not a product`]),
  ]
}

const twice = (names: readonly string[]) => names.filter((name, i) => names.indexOf(name) < i)

export type Catalogue = z.infer<typeof Catalogue>

export type Product = Catalogue['products'][number]

let read: Catalogue | undefined

/** Returns the catalogue, which is read once per process. Throws an error that explains its faults. */
export function catalogue(): Catalogue {
  read ??= readCatalogue(config.IDENTITY_CATALOGUE ?? new URL('./catalogue.json', import.meta.url))
  return read
}

export function readCatalogue(file: string | URL): Catalogue {
  const parsed = Catalogue.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (parsed.success) return parsed.data
  throw new Error(`The catalogue ${file} is invalid:\n${z.prettifyError(parsed.error)}`)
}

/** True if a file of the requirement shows an identity document. */
export const showsDocument = (key: string): boolean => {
  const type = findRequirement(key)?.type
  return type === 'document' || type === 'face'
}

export const findRequirement = (key: string): Requirement | undefined =>
  catalogue().requirements.find((one) => one.key === key)
