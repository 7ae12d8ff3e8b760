/** Columns that have another name in the API. */
const fields: Readonly<Record<string, string>> = {
  legal_form_code: 'legal_form.code',
  legal_form_name: 'legal_form.name',
  elf_code: 'legal_form.elf_code',
  street: 'registered_address.street',
  city: 'registered_address.city',
  region: 'registered_address.region',
  postal_code: 'registered_address.postal_code',
  country: 'registered_address.country',
}

export interface ChangedField {
  field: string
  before: unknown
  after: unknown
}

/** Returns the changed columns of a company with the names of the API, by name. */
export const listChangedFields = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ChangedField[] =>
  Object.keys(after)
    .map((column) => ({
      field: fields[column] ?? column,
      before: before[column] ?? null,
      after: after[column] ?? null,
    }))
    .sort((one, other) => (one.field < other.field ? -1 : 1))
