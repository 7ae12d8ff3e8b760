import type { Facts } from '#sql/erp/companies.ts'
import type { Options } from '#sql/erp/imports.ts'
import type { StagedOfficer } from '#sql/erp/officers.ts'
import type { RelationKind, StagedRelation } from '#sql/erp/relations.ts'
import type { Row } from '../row.ts'

/** A company in a file, as unchecked text. Empty text means no value. */
export interface Entry {
  jurisdiction: string
  code: string
  name: string
  previousNames?: readonly string[]
  status: Facts['status']
  statusRaw?: string
  legalForm?: { code?: string; name?: string; elf?: string }
  vatNumber?: string
  lei?: string
  registeredAt?: string
  dissolvedAt?: string
  address?: Partial<Record<'street' | 'city' | 'region' | 'postalCode' | 'country', string>>
  capital?: { amount: string; currency: string }
  activities?: Facts['activities']
  website?: string
}

export interface OfficerEntry {
  kind: StagedOfficer['kind']
  name: string
  roleCode: string
  role: string
  since: string
  until: string
}

interface About {
  register: string
  licence: string | null
  recordUrl: string | null
  headings: readonly string[]
  records: readonly string[]
  /** Name of the records’ element in an XML file. Undefined if the register has no XML. */
  element?: string
}

export interface Profile extends About {
  missing: 'dissolved' | 'unknown'
  /** True if the file has companies of other registers, to which only the LEI is added. */
  adds: boolean
  /** Returns the company of a record. `null` for sole traders. */
  read(row: Row, options: Pick<Options, 'jurisdiction' | 'statuses'>): Entry | null
}

export interface OfficerProfile extends About {
  jurisdiction: string
  read(row: Row): { code: string; officers: readonly OfficerEntry[] }
}

/** A relation in a file, as unchecked text. It has either a parent, or the reason why the company reports none. */
export interface RelationEntry {
  lei: string
  kind: RelationKind
  parentLei?: string
  reason?: string
  status: StagedRelation['status']
  since: string
  until: string
}

export interface RelationProfile extends About {
  /** Returns the relation of a record. `null` for a kind of relation that is not imported. */
  read(row: Row): RelationEntry | null
}
