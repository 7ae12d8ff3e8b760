import type { z } from 'zod'
import type { Part } from '#sql/moving/imports.ts'
import type { GivenTemplate } from '../templates/prepare-template.ts'
import type { ProviderClient } from './client.ts'
import { FormFault, ObjectFault } from './fault.ts'

export interface GivenSuppression {
  email: string
  reason: 'bounce' | 'complaint' | 'manual'
  detail: string | null
  created_at: string | null
}

export interface GivenContact {
  email: string
  name: string | null
  attributes: Record<string, string | number | boolean>
  tags: string[]
  is_unsubscribed: boolean
}

export interface GivenAsset {
  id: string
  title: string | null
  passthrough: string | null
  playback_id: string | null
  is_public: boolean
  file: string | null
  captions: { id: string; language: string; name: string | null }[]
}

/** What a list of a provider contains. */
export type Given =
  | { part: 'templates'; id: string; label: string; item: GivenTemplate }
  | { part: 'suppressions'; id: string; label: string; item: GivenSuppression }
  | { part: 'contacts'; id: string; label: string; item: GivenContact }
  | { part: 'assets'; id: string; label: string; item: GivenAsset }
  | { part: Part; id: string; label: string; fault: string }

export interface GivenPage {
  given: Given[]
  /** Position of the next page. Null after the last page. */
  next: string | null
}

/** A list of a provider. */
export interface Source {
  part: Part
  read(client: ProviderClient, at: string | null): Promise<GivenPage>
}

/**
 * Number of templates per page. A template has up to 16 MiB, and a page is in memory. After a failed request, a page
 * starts again.
 */
export const templatesPerPage = 10

/** Reads templates one by one. A template that cannot be read does not stop the others. */
export async function readTemplates(ids: readonly string[], read: (id: string) => Promise<Given>): Promise<Given[]> {
  const given: Given[] = []
  for (const id of ids)
    given.push(
      await read(id).catch((error: unknown): Given => {
        if (!(error instanceof ObjectFault || error instanceof FormFault)) throw error
        return { part: 'templates', id, label: id, fault: error.message }
      }),
    )
  return given
}

/** Returns a time in seconds or as a text in the form of ISO 8601. Null if it is neither. */
export function instantOf(given: string | number | null | undefined): string | null {
  if (given === null || given === undefined || given === '') return null
  const at =
    typeof given === 'number' ? given * 1_000 : /^\d{9,11}$/.test(given) ? Number(given) * 1_000 : Date.parse(given)
  const isUsable = Number.isFinite(at) && at > 0 && at <= Date.now()
  return isUsable ? new Date(at).toISOString() : null
}

/** Reads an object in the form of the provider’s API. Returns what is wrong with it as a text. */
export function readAs<S extends z.ZodType>(
  schema: S,
  given: unknown,
  read: (found: z.output<S>) => Given,
): Given | string {
  const found = schema.safeParse(given)
  if (found.success) return read(found.data)
  const [issue] = found.error.issues
  return `${issue?.path.join('.') || 'the template'}: ${issue?.message}`
}
