export interface Finding {
  check: string
  ok: boolean
  found: string
  todo?: string
}

/** A check. If it throws an exception, the exception counts as a fault. */
export interface Check {
  name: string
  todo: string
  look(): Promise<Finding | Finding[]>
}

export const well = (check: string, found: string): Finding => ({ check, ok: true, found })

export const fault = (check: string, found: string, todo: string): Finding => ({ check, ok: false, found, todo })
